/** A sentence that states the number of completed calls of a run, including failed calls. */
export function callsMade(count: number): string {
  if (count === 0) return 'No call has been made.';
  return count === 1 ? '1 call has completed and is not undone.' : `${count} calls have completed and are not undone.`;
}

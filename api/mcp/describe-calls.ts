/** What stands of a run, whatever becomes of it: those of its calls that have ended, failed ones among them. */
export function callsMade(count: number): string {
  if (count === 0) return 'No call has been made.';
  return count === 1 ? '1 call has been made; what it did stays done.' : `${count} calls have been made; what they did stays done.`;
}

/** What stands of a run, whatever becomes of it: those of its calls that have ended, failed ones among them. */
export function callsMade(count: number): string {
  if (count === 0) return 'No call has been made.';
  return count === 1 ? '1 call has ended; whatever it did stays done.' : `${count} calls have ended; whatever they did stays done.`;
}

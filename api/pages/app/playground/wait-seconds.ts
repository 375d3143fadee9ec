/** A browser repeats the request, so a proxy that ends long requests breaks nothing. */
const WAIT_SECONDS = 25;

/** Seconds that a resumption which happens by itself waits for the decision; 0 for a button. */
export function waitSecondsOf(form: URLSearchParams): number {
  return form.get('wait') === 'yes' ? WAIT_SECONDS : 0;
}

/** Shorter than the timeout of common proxies. A script of the page repeats the request. */
const WAIT_SECONDS = 25;

/** Seconds to wait for the decision: 0 unless the script of the page sent the form. */
export function waitSecondsOf(form: URLSearchParams): number {
  return form.get('wait') === 'yes' ? WAIT_SECONDS : 0;
}

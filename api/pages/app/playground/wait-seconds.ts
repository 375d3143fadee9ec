/** Shorter than the timeout of common proxies. A script of the page repeats the request. */
const WAIT_SECONDS = 25;

/**
 * Seconds to wait for the decision: `WAIT_SECONDS` if the script of the page sent the form, and 0
 * if a person pressed "Resume".
 */
export function waitSecondsOf(form: URLSearchParams): number {
  return form.get('wait') === 'yes' ? WAIT_SECONDS : 0;
}

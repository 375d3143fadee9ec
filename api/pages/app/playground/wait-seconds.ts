/** Shorter than the timeout of common proxies. The browser repeats the request. */
const WAIT_SECONDS = 25;

/** Seconds to wait for the decision: 0 if a person pressed "Resume", more if the page resumes. */
export function waitSecondsOf(form: URLSearchParams): number {
  return form.get('wait') === 'yes' ? WAIT_SECONDS : 0;
}

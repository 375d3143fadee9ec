import { askPage, fieldsOf, REFRESH } from './ask-page.ts';
import { showAnswer } from './show-answer.ts';
import { whenFound } from './shown.ts';

const RETRY_MS = 2000;
/**
 * Statuses after which the page shows a problem and keeps the form: the form is too large, or a
 * part of the service is unavailable.
 */
const KEEPS_FORM = [413, 503];
/** Timeout in ms: above the longest running time of a program, with its wait for a runner. */
const ANSWER_MS = 360_000;
/** The problem if the browser is offline, or if a request got no usable answer. */
export const NOT_SENT = 'Not sent. Check the connection and try again.';
/** Follows `NOT_SENT` if the request was sent: perhaps only its answer was lost. */
const PERHAPS_SENT = 'The form may still have arrived. Check before you send it again.';

/**
 * Sends forms with method `post` by script: typed text survives a lost request or answer, and
 * reloading a page sends nothing again.
 */
export function sendForms(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    const method = form.getAttribute('method');
    if (method === 'dialog' || event.defaultPrevented) return;
    const isBusy = form.getAttribute('aria-busy') === 'true';
    form.setAttribute('aria-busy', 'true');
    if (method !== 'post') return;
    event.preventDefault();
    if (isBusy) return; // a second click
    document.querySelector('#not-sent')?.remove();
    if (!navigator.onLine) return sayProblem(form, NOT_SENT);
    send(form, event.submitter).then(
      (problem) => problem && sayProblem(form, problem),
      () => sayProblem(form, NOT_SENT, PERHAPS_SENT),
    );
  });
}

function sayProblem(form: HTMLFormElement, problem: string, more = ''): void {
  form.removeAttribute('aria-busy');
  form.insertAdjacentHTML('afterbegin', '<div class="notice bad" role="alert" id="not-sent"><p><span></span> <span></span></p></div>');
  const alert = form.querySelector('#not-sent')!;
  for (const [at, span] of alert.querySelectorAll('span').entries()) span.textContent = [problem, more][at]!;
  alert.scrollIntoView({ block: 'nearest' });
}

/**
 * Resolves to the text of a problem if the form must stay on the page to be sent again. Rejects if
 * no answer of the dashboard arrives.
 */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<string | undefined> {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const url = new URL(action, location.href).href;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const sent: RequestInit = { method: 'POST', body: fieldsOf(form, submitter), signal, headers: { 'X-Sent-By': 'script' } };
  const { answer, page } = await askPage(url, sent);
  const next = answer.headers.get('Location');
  if (next === null) return KEEPS_FORM.includes(answer.status) ? problemOf(page) : showAnswer(page, url);
  // Adds an entry to the history, as browsers do after a form, even if the URL stays the same.
  history.pushState(null, '', url);
  location.replace(new URL(next, url));
  return undefined;
}

function problemOf(page: Document): string {
  const [title, sentence] = ['.app h1', '.app h1 + p'].map((selector) => page.querySelector(selector)!.textContent);
  return `${title}. ${sentence}`;
}

/** On a page about an outage: reloads the page once the service answers again. */
export function retryPage(): void {
  whenFound('[data-retry]', () => {
    const timer = setInterval(async () => {
      const answer = await fetch(location.href, REFRESH).catch(() => undefined);
      if (!answer || answer.status >= 500) return;
      clearInterval(timer);
      location.reload();
    }, RETRY_MS);
  });
}

import { askPage, fieldsOf, REFRESH } from './ask-page.ts';
import { showAnswer } from './show-answer.ts';
import { whenFound } from './shown.ts';

const RETRY_MS = 2000;
/**
 * Statuses after which the form stays unchanged: the text is too long, or a part of the service is
 * unavailable.
 */
const KEEPS_FORM = [413, 503];
/** Longer than the slowest answer: a program that runs in the playground. */
const ANSWER_MS = 300_000;
/** Message if a request was not sent, or could change nothing. */
export const NOT_SENT = 'Not sent. Check the connection and try again.';
/** Follows `NOT_SENT` without an answer: browsers do not say whether it or the request was lost. */
const PERHAPS_SENT = 'It may have arrived all the same: look before you send it again.';

/**
 * Sends forms by script, so that typed text survives a lost request or answer, and reloading a page
 * sends nothing again. Forms that only load a page are left to the browser.
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

/** Leaves the form unchanged. */
function sayProblem(form: HTMLFormElement, problem: string, more = ''): void {
  form.removeAttribute('aria-busy');
  form.insertAdjacentHTML('afterbegin', '<div class="notice bad" role="alert" id="not-sent"><p><span></span> <span></span></p></div>');
  const alert = form.querySelector('#not-sent')!;
  for (const [at, span] of alert.querySelectorAll('span').entries()) span.textContent = [problem, more][at]!;
  alert.scrollIntoView({ block: 'nearest' });
}

/**
 * Shows what the service answers. Resolves to the problem, if the form can be sent again.
 * Rejects without an answer of the service.
 */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<string | undefined> {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const url = new URL(action, location.href).href;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const sent: RequestInit = { method: 'POST', body: fieldsOf(form, submitter), signal, headers: { 'X-Sent-By': 'script' } };
  const { answer, page } = await askPage(url, sent);
  const next = answer.headers.get('Location');
  if (next === null) return KEEPS_FORM.includes(answer.status) ? problemOf(page) : showAnswer(page, url);
  // A new entry in the history, as browsers make one, even if the URL is the same.
  history.pushState(null, '', url);
  location.replace(new URL(next, url));
  return undefined;
}

function problemOf(page: Document): string {
  const [title, sentence] = ['.app h1', '.app h1 + p'].map((selector) => page.querySelector(selector)!.textContent);
  return `${title}. ${sentence}`;
}

/** A page that could not be shown shows itself once it can. */
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

import { readAnswer, showAnswer } from './show-answer.ts';
import { whenFound } from './shown.ts';

const RETRY_MS = 2000;
/** Longer than the slowest answer: a program that runs in the playground. */
const ANSWER_MS = 300_000;
const NOT_SENT = 'Not sent. Check the connection and try again.';

/**
 * Sends forms by script, so that a lost request or answer does not cost what was typed, and
 * reloading a page sends nothing again. Forms that only ask for a page are left to the browser.
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
    send(form, event.submitter)
      .catch(() => NOT_SENT)
      .then((problem) => problem && sayProblem(form, problem));
  });
}

/** Leaves the form as it is. */
function sayProblem(form: HTMLFormElement, problem: string): void {
  form.removeAttribute('aria-busy');
  form.insertAdjacentHTML('afterbegin', '<div class="notice bad" role="alert" id="not-sent"><p></p></div>');
  form.querySelector('#not-sent p')!.textContent = problem;
}

/**
 * Shows what the service answers. Resolves to what is away, if that is the answer. Rejects without
 * an answer of the service.
 */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<string | undefined> {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const url = new URL(action, location.href).href;
  const body = new URLSearchParams([...new FormData(form, submitter)] as [string, string][]);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(url, { method: 'POST', body, signal, headers: { 'X-Sent-By': 'script' } });
  const next = answer.headers.get('Location');
  if (next === null) {
    const page = readAnswer(await answer.text());
    return answer.status === 503 ? problemOf(page) : showAnswer(page, url);
  }
  // An entry of its own in the history, as a browser makes it, even where the address is the same.
  history.pushState(null, '', url);
  location.replace(new URL(next, url));
  return undefined;
}

function problemOf(page: Document): string {
  const [title, sentence] = ['h1', 'h1 + p'].map((selector) => page.querySelector(selector)!.textContent);
  return `${title}. ${sentence}`;
}

/** A page that could not be shown shows itself once it can. */
export function retryPage(): void {
  whenFound('[data-retry]', () => {
    const timer = setInterval(async () => {
      const answer = await fetch(location.href, { headers: { 'X-Refresh': '1' } }).catch(() => undefined);
      if (!answer || answer.status >= 500) return;
      clearInterval(timer);
      location.reload();
    }, RETRY_MS);
  });
}

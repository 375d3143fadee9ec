import { announceReplaced } from './shown.ts';

/**
 * Replaces this page with the answer to its form. `url` is the URL that the form was sent to.
 * Throws if the answer is not a page of the dashboard, such as an error page of a proxy.
 */
export function showAnswer(answer: Document, url: string): undefined {
  if (!answer.body.matches('.app')) throw new Error('not a page of the dashboard');
  for (const form of answer.querySelectorAll('form')) {
    form.setAttribute('action', new URL(form.getAttribute('action') ?? '', url).href);
  }
  document.title = answer.title;
  document.body.replaceWith(answer.body);
  scrollTo(0, 0);
  document.querySelector<HTMLElement>('main')!.focus({ preventScroll: true });
  showOutcome();
  // The answer may contain a secret. A browser that returns to this page reloads the page without
  // the secret.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  document.dispatchEvent(new Event('answered'));
  announceReplaced();
}

/** Scrolls to the alert of a page or to the result of a call or program, if there is one. */
export function showOutcome(): void {
  document.querySelector('[role="alert"], #play-result > section')?.scrollIntoView({ block: 'nearest' });
}

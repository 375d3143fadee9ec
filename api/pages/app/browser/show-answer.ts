import { announceReplaced } from './shown.ts';

/**
 * Replaces this page with the page that answers its form, at the same URL: nothing is added to the
 * history, and reloading sends nothing. `url`: where the form was sent. Throws for a page that is
 * not of the dashboard, such as that of a proxy.
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
  // The answer may contain a secret: going back shows the page without it.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  document.dispatchEvent(new Event('answered'));
  announceReplaced();
}

/** Scrolls to the problems of the form, or to its result. */
export function showOutcome(): void {
  document.querySelector('[role="alert"], #play-result > section')?.scrollIntoView({ block: 'nearest' });
}

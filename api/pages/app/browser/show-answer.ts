import { tellReplaced } from './shown.ts';

/**
 * Shows the page that answers a form of this one, at the address of this one: nothing is added to
 * the history, and reloading sends nothing. `url` is where the form was sent. Throws for a page of
 * somebody else, such as a proxy.
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
  // The answer may hold a secret: coming back shows the page without it.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  document.dispatchEvent(new Event('answered'));
  tellReplaced();
}

/** Scrolls to what is wrong with the form, or to what it led to. */
export function showOutcome(): void {
  document.querySelector('[role="alert"], #play-result > section')?.scrollIntoView({ block: 'nearest' });
}

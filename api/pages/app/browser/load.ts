import htmx from 'htmx.org';
import { askPage, REFRESH } from './ask-page.ts';
import { announceReplaced } from './shown.ts';

/**
 * Replaces parts of this page with the parts of the same name of a loaded page, and keeps the focus
 * and typed text. If the focused field is gone, its part gets the focus. Resolves to false if the
 * loaded page lacks a part, as the sign-in page does. Rejects if the page cannot be loaded.
 */
export async function load(urlOf: () => string, parts: () => readonly HTMLElement[]): Promise<boolean> {
  const url = urlOf();
  const { answer, page } = await askPage(url, REFRESH);
  if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
  if (urlOf() !== url) return load(urlOf, parts);
  let hasAll = true;
  for (const target of parts()) {
    const part = `[data-part="${target.dataset.part}"]`;
    const found = page.querySelector(part);
    const focused = target.contains(document.activeElement) ? document.activeElement : undefined;
    if (found) await htmx.swap({ text: found.outerHTML, target, sourceElement: target, swap: 'outerMorph' });
    else hasAll = false;
    if (focused === target || (focused?.isConnected === false && focused.matches('input, textarea')))
      focusPart(document.querySelector<HTMLElement>(part)!);
  }
  announceReplaced();
  return hasAll;
}

/** Gives the part the focus of a field that is gone, until the member moves the focus. */
function focusPart(part: HTMLElement): void {
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
  part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
}

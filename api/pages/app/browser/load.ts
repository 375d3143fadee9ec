import htmx from 'htmx.org';
import { askPage, REFRESH } from './ask-page.ts';
import { announceReplaced } from './shown.ts';

/**
 * Replaces parts of this page with the parts of the same name of a loaded page, and keeps the focus
 * and typed text. Resolves to false if the loaded page lacks a part, as the sign-in page does.
 * Rejects if the page cannot be loaded.
 */
export async function load(urlOf: () => string, parts: () => readonly HTMLElement[]): Promise<boolean> {
  const url = urlOf();
  const { answer, page } = await askPage(url, REFRESH);
  if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
  if (urlOf() !== url) return load(urlOf, parts);
  let hasAll = true;
  for (const target of parts()) {
    const found = page.querySelector(`[data-part="${target.dataset.part}"]`);
    if (found) await htmx.swap({ text: found.outerHTML, target, sourceElement: target, swap: 'outerMorph' });
    else hasAll = false;
  }
  announceReplaced();
  return hasAll;
}

import htmx from 'htmx.org';
import { askPage, REFRESH } from './ask-page.ts';
import { announceReplaced } from './shown.ts';

/**
 * Loads the page of a URL and replaces parts of this page with the loaded parts of the same name.
 * Keeps the focus and typed text. Calls `parts` after the answer. If `urlOf` returns another URL by
 * then, loads again. Resolves to true if the loaded page has all parts. Resolves to false
 * otherwise, for example for the sign-in page after the end of a session. Rejects if the page
 * cannot be loaded.
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

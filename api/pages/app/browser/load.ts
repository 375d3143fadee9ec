import htmx from 'htmx.org';
import { askPage, REFRESH } from './ask-page.ts';
import { announceReplaced } from './shown.ts';

/**
 * Loads another page and morphs parts of this page into its parts of the same name. Focus and typed
 * text are kept. `parts` is called after the answer. If the URL has changed by then, the page is
 * loaded again. Resolves to whether the loaded page has all the parts; the sign-in page after the
 * end of a session has none. Rejects if the page cannot be loaded now.
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

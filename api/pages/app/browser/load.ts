import htmx from 'htmx.org';
import { askPage, REFRESH } from './ask-page.ts';
import { tellReplaced } from './shown.ts';

/**
 * Morphs parts of the page into those of the same name of another page; focus and typing stay.
 * `parts` is asked after the answer. If the address has changed by then, the answer is out of date
 * and the page is asked for again. Resolves to whether the page has the parts; after the end of a
 * session, the sign-in page has none. Rejects if the page cannot be had now.
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
  tellReplaced();
  return hasAll;
}

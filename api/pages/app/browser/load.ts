import htmx from 'htmx.org';
import { tellReplaced } from './shown.ts';

/**
 * Replaces parts of the page by those of the same name of another page. With `outerMorph`, focus
 * and typing stay. Rejects if the page cannot be had now.
 */
export async function load(url: string, wanted: readonly HTMLElement[], swap = 'outerMorph'): Promise<void> {
  const answer = await fetch(url, { headers: { 'X-Refresh': '1' } });
  if (answer.status >= 500 || answer.status === 429) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const target of wanted) {
    const found = fresh.querySelector(`[data-part="${target.dataset.part}"]`);
    if (found) await htmx.swap({ text: found.outerHTML, target, sourceElement: target, swap });
  }
  tellReplaced();
}

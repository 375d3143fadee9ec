import { say } from './say.ts';

/** Says how many rows came to a live list since the page was opened. */
export function countNewRows(): void {
  for (const list of document.querySelectorAll<HTMLElement>('[data-one]')) {
    const known = idsOf(list);
    let told = 0;
    const { part, one, many } = list.dataset;
    document.addEventListener('refreshed', () => {
      // A morph may replace the list itself.
      const current = document.querySelector<HTMLElement>(`[data-part="${part}"]`) ?? list;
      const count = idsOf(current).difference(known).size;
      if (count > told) say(`${count} new ${count === 1 ? one : many}`);
      told = Math.max(told, count);
    });
  }
}

function idsOf(list: HTMLElement): Set<string> {
  return new Set([...list.querySelectorAll('tbody > tr')].map(({ id }) => id));
}

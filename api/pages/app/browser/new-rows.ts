import { say } from './say.ts';
import { whenShown } from './shown.ts';

/** The known row ids of each list, by `data-part`. */
const known = new Map<string, Set<string>>();
const told = new Map<string, number>();

/** Announces how many rows were added to a live list since the page was opened. */
export function countNewRows(): void {
  document.addEventListener('answered', () => known.clear());
  whenShown(() => {
    for (const list of document.querySelectorAll<HTMLElement>('[data-one]')) count(list);
  });
}

function count(list: HTMLElement): void {
  const { part, one, many } = list.dataset as { part: string; one: string; many: string };
  const ids = new Set([...list.querySelectorAll('tbody > tr')].map(({ id }) => id));
  if (!known.has(part)) {
    known.set(part, ids);
    told.set(part, 0);
  }
  const { size } = ids.difference(known.get(part)!);
  if (size <= told.get(part)!) return;
  told.set(part, size);
  say(`${size} new ${size === 1 ? one : many}`);
}

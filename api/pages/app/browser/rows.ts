import { load } from './load.ts';

const RETRY_MS = 2000;
const NOT_SHOWN = "We can't show this request now.";

const rows = () => [...document.querySelectorAll<HTMLElement>('table.list tbody > tr')];
/** The row that keyboard shortcuts apply to, and that the preview shows. */
const current = () => document.querySelector<HTMLElement>('table.list tr[aria-current]') ?? undefined;
const preview = () => document.querySelector<HTMLElement>('[data-part="preview"]');
/** Typed reasons that are not sent yet, by the id of the row. */
const begun = new Map<string, string>();

/** Makes the focused or clicked row the current row. */
export function followCurrentRow(): void {
  for (const kind of ['focusin', 'click']) {
    document.addEventListener(kind, ({ target }) => {
      const row = (target as HTMLElement).closest<HTMLElement>('table.list tbody > tr');
      if (row) choose(row);
    });
  }
  // A return to this page restores the current row.
  const left = rows().find(({ id }) => id !== '' && id === history.state?.row);
  if (left) choose(left);
}

function choose(row: HTMLElement): void {
  const before = current();
  if (row === before) return;
  before?.removeAttribute('aria-current');
  row.setAttribute('aria-current', 'true');
  history.replaceState({ row: row.id }, '');
  const shown = preview();
  if (!shown) return;
  const reason = shown.querySelector('textarea')?.value;
  if (before && reason) begun.set(before.id, reason);
  // Clears the preview, so that the member does not decide the old request instead of the new one.
  sayInPreview('Loading …');
  loading ??= showCurrent();
}

let loading: Promise<void> | undefined;
/** Resolves once the preview shows the current row. */
export const previewShown = () => loading;

async function showCurrent(): Promise<void> {
  let shown: string | undefined;
  while (shown === undefined || shown !== (current()?.id ?? '')) {
    shown = current()?.id ?? '';
    try {
      if (!(await load(pageUrl, () => [preview()!]))) sayInPreview(NOT_SHOWN);
    } catch {
      shown = undefined;
      sayInPreview(`${NOT_SHOWN} We keep trying.`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  const field = preview()?.querySelector('textarea');
  if (field) field.value = begun.get(shown) ?? '';
  loading = undefined;
}

function sayInPreview(sentence: string): void {
  const words = document.createElement('p');
  words.className = 'muted';
  words.textContent = sentence;
  preview()?.replaceChildren(preview()!.querySelector('h2')!, words);
}

/** Focuses the row after or before the current row; without a current row, the first row. */
export function move(by: 1 | -1): void {
  const all = rows();
  const next = all[all.indexOf(current()!) + by] ?? current() ?? all[0];
  next?.querySelector('a')?.focus();
}

/** Checks or unchecks the checkbox of the current row. */
export function toggle(): void {
  current()?.querySelector<HTMLElement>('input[type="checkbox"]')?.click();
}

/**
 * The URL that refreshes this page. `current` names the current row, and `keep` each row that the
 * refresh must keep.
 */
export function pageUrl(): string {
  const url = new URL(location.href);
  const idOf = (row: Element | null | undefined) => row?.id.replace(/^row-/, '') ?? '';
  const chosen = idOf(current());
  if (chosen) url.searchParams.set('current', chosen);
  const inUse = rows().filter((row) => row.querySelector(':checked') || row.contains(document.activeElement));
  if (preview()?.contains(document.activeElement) && current()) inUse.push(current()!);
  for (const row of new Set(inUse)) url.searchParams.append('keep', idOf(row));
  return url.href;
}

import { move, previewShown, toggle } from './rows.ts';
import { say } from './say.ts';
import { whenFound } from './shown.ts';

const STORED = 'gateway single keys';
const find = <Found extends HTMLElement>(selector: string) => document.querySelector<Found>(selector);
const isOn = () => localStorage.getItem(STORED) !== 'off';
const dialog = () => find<HTMLDialogElement>('#shortcuts');
const home = () => find<HTMLAnchorElement>('.banner .brand')?.pathname ?? '/';
/** Ctrl+Enter presses this button: a single key never decides. */
let chosen: HTMLButtonElement | null = null;
let isGoing = false;
/** Whether a or r waits for the preview. Meanwhile other keys do nothing; Escape leaves. */
let isChoosing = false;

/** A part has the focus after its focused field is gone. The member may still be typing. */
const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [data-part]';
const GO: Record<string, string> = { a: '/approvals', o: '', r: '/runs', p: '/policies' };
const KEYS: Record<string, () => void> = {
  '?': () => dialog()?.showModal(),
  '/': () => find('[role="search"][aria-label="Filter"] :is(input:not([type="hidden"]), select)')?.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: toggle,
  Enter: () => find('table.list tr[aria-current] a')?.click(),
  u: () => history.back(),
  a: () => void choose('approve'),
  r: () => void choose('reject'),
};

/** Handles keyboard shortcuts. Members can switch off shortcuts of one character (WCAG 2.1.4). */
export function listenToKeys(): void {
  whenFound<HTMLInputElement>('#single-keys', (box) => {
    box.checked = isOn();
    box.addEventListener('change', () => localStorage.setItem(STORED, box.checked ? 'on' : 'off'));
  });
  whenFound<HTMLButtonElement>('[data-shortcuts]', (button) => {
    button.hidden = false;
    button.addEventListener('click', () => dialog()?.showModal());
  });
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey || !dialog()) return;
    const { key } = event;
    const target = event.composedPath()[0] as HTMLElement;
    const isTyping = target.matches(TYPING);
    if (event.ctrlKey || event.metaKey) {
      if (key === 'k') find('#go')?.focus();
      else if (key === 'Enter') send(target);
      else return;
    } else if (key === 'Escape' && chosen) leave(target);
    else if (isTyping || !isOn() || find('dialog[open]')) return;
    else if (isChoosing) isChoosing = key !== 'Escape';
    else if (key === 'Enter' && target !== document.body)
      return; // Enter presses the focused link or button
    else if (isGoing && GO[key] !== undefined) location.assign(home() + GO[key]);
    else if (key !== 'g' && !KEYS[key]) return;
    else KEYS[key]?.();
    isGoing = key === 'g' && !isTyping;
    event.preventDefault();
  });
}

async function choose(decision: 'approve' | 'reject'): Promise<void> {
  isChoosing = true;
  await previewShown();
  if (!isChoosing) return;
  isChoosing = false;
  chosen = find<HTMLButtonElement>(`.decision button[value="${decision}"]`);
  if (!chosen) return;
  find('.decision textarea')?.focus();
  say(`Ctrl+Enter sends "${chosen.textContent}". Escape leaves.`);
}

function leave(target: HTMLElement): void {
  chosen = null;
  target.blur();
  say('Nothing was sent.');
}

/** Sends a decision only after the member chose the decision with the key `a` or `r`. */
function send(target: HTMLElement): void {
  const form = target.closest('form');
  if (form?.matches('.decision form')) {
    if (chosen?.form === form) form.requestSubmit(chosen);
  } else if (target.matches('textarea, input')) form?.requestSubmit();
}

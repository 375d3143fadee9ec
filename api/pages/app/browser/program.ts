import { askPage, fieldsOf } from './ask-page.ts';
import type { openEditor } from './editor.ts';
import { showOutcome } from './show-answer.ts';
import { announceReplaced } from './shown.ts';

/**
 * Loads the editor of a program when its text area gets the focus for the first time.
 */
export function offerEditor(form: HTMLFormElement): void {
  const area = form.querySelector('textarea')!;
  const label = form.querySelector<HTMLLabelElement>(`label[for="${CSS.escape(area.id)}"]`)!;
  const load = async (): Promise<void> => {
    const editor: { openEditor: typeof openEditor } = await import(form.dataset.editor!);
    label.removeAttribute('for'); // the editor gets the label's text as its own name
    editor.openEditor(area, label.textContent!.trim(), wordsOf(form));
  };
  const loadOnce = () => void load().catch(() => {}); // the text area stays if loading fails
  if (document.activeElement === area) loadOnce();
  else area.addEventListener('focus', loadOnce, { once: true });
}

/** Fetches the words once for each chosen MCP server. */
function wordsOf(form: HTMLFormElement): () => Promise<Record<string, Record<string, string[]>>> {
  const fetched = new Map<string, Promise<Record<string, Record<string, string[]>>>>();
  return () => {
    const server = form.dataset.server ?? form.querySelector<HTMLSelectElement>('select[name="server"]')!.value;
    if (server === '') return Promise.resolve({});
    const known = fetched.get(server) ?? fetch(`${form.dataset.words}?server=${server}`).then((answer) => (answer.ok ? answer.json() : {}));
    fetched.set(server, known);
    return known;
  };
}

/** Pause in ms before asking again, in case the service answers without waiting. */
const PAUSE_MS = 1000;

/** Resumes a program or a call once its approval is decided, and shows the answer. */
export async function resumeByItself(form: HTMLFormElement): Promise<void> {
  const body = fieldsOf(form);
  const approval = body.get('approval');
  body.set('wait', 'yes');
  const area = document.getElementById('play-result')!;
  const left = new AbortController();
  addEventListener('pagehide', () => left.abort(), { once: true });
  form.addEventListener('submit', () => left.abort(), { once: true });
  document.addEventListener('answered', () => left.abort(), { once: true });
  for (;;) {
    const asked = await askPage(form.getAttribute('action')!, { method: 'POST', body, signal: left.signal }).catch(() => undefined);
    if (!asked?.answer.ok || asked.answer.redirected) return;
    const next = asked.page.getElementById('play-result');
    if (!next || left.signal.aborted || !area.isConnected) return;
    const waiting = next.querySelector<HTMLFormElement>('[data-resume]');
    if (waiting?.querySelector<HTMLInputElement>('[name="approval"]')?.value === approval) {
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      continue;
    }
    area.replaceWith(next);
    showOutcome();
    return announceReplaced();
  }
}

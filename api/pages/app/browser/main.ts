import { offerPlaces } from './go-to.ts';
import { listenToKeys } from './keys.ts';
import { followNews } from './live.ts';
import { countNewRows } from './new-rows.ts';
import './parts.ts';
import { offerEditor, resumeByItself } from './program.ts';
import { refreshOnChange } from './refresh.ts';
import { followCurrentRow } from './rows.ts';
import { say } from './say.ts';
import { retryPage, sendForms } from './send.ts';
import { showOutcome } from './show-answer.ts';
import { whenFound, whenShown } from './shown.ts';

/** Every page works without scripts: forms, links and tables are plain HTML. */
sendForms();
whenFound('[data-refresh]', refreshOnChange);
whenFound('[data-editor]', offerEditor);
whenFound<HTMLFormElement>('[data-resume]', (form) => void resumeByItself(form));
whenFound<HTMLFormElement>('[data-send-on-change]', (form) => form.addEventListener('change', () => form.requestSubmit()));
// Copy buttons are hidden without scripts. Each update of a part hides its copy buttons again.
whenShown(() => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) button.hidden = false;
});
document.addEventListener('click', async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>('[data-copy]');
  if (!button) return;
  const source = document.querySelector<HTMLInputElement>(`#${button.dataset.copy}`);
  source?.select();
  // Over plain HTTP browsers have no clipboard API. `execCommand` then copies the selected text.
  const isDone = await navigator.clipboard?.writeText(source?.value ?? '').then(
    () => true,
    () => false,
  );
  if (!isDone && !document.execCommand('copy')) return;
  say('Copied.');
});

retryPage();
// A page from the back-forward cache is no longer sending a form.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
});
showOutcome();
followNews();
countNewRows();
followCurrentRow();
listenToKeys();
whenFound('#go', offerPlaces);
whenFound<HTMLFormElement>('[data-send-at-once]', (form) => form.requestSubmit());

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

/**
 * Comforts of the dashboard. Every page works without them: forms, links and tables are plain HTML.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('[data-refresh]')) refreshOnChange(form);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-editor]')) offerEditor(form);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-resume]')) void resumeByItself(form);

for (const form of document.querySelectorAll<HTMLFormElement>('[data-send-on-change]')) {
  form.addEventListener('change', () => form.requestSubmit());
}

function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) button.hidden = false;
}
offerCopies();
document.addEventListener('refreshed', offerCopies);
document.addEventListener('click', async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>('[data-copy]');
  if (!button) return;
  const source = document.querySelector<HTMLInputElement>(`#${button.dataset.copy}`);
  source?.select();
  // A page on plain http has no clipboard, and a browser may not permit it: then as by hand.
  const isDone = await navigator.clipboard?.writeText(source?.value ?? '').then(
    () => true,
    () => false,
  );
  if (!isDone && !document.execCommand('copy')) return;
  say('Copied.');
});

sendForms();
retryPage();
// A page from the back-forward cache is not sending anything.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
});
document.querySelector<HTMLElement>('[role="alert"]')?.scrollIntoView({ block: 'nearest' });
followNews();
countNewRows();
followCurrentRow();
listenToKeys();
offerPlaces();
// The answer of an OpenID provider: the page only passes it on.
document.querySelector<HTMLFormElement>('[data-send-at-once]')?.requestSubmit();

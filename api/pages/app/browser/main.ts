/**
 * Comforts of the dashboard. Every page works without them: forms, links and tables are plain HTML.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('[data-send-on-change]')) {
  form.addEventListener('change', () => form.requestSubmit());
}

const status = document.querySelector<HTMLElement>('main > [role="status"]');

function say(sentence: string): void {
  if (!status) return;
  status.hidden = false;
  status.textContent = sentence;
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.querySelector<HTMLInputElement>(`#${button.dataset.copy}`);
    source?.select();
    await navigator.clipboard.writeText(source?.value ?? '');
    say('Copied.');
  });
}

document.addEventListener('submit', ({ target }) => (target as HTMLFormElement).setAttribute('aria-busy', 'true'));
// A page from the back-forward cache is not sending anything.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
});
document.querySelector<HTMLElement>('[role="alert"]')?.scrollIntoView({ block: 'nearest' });

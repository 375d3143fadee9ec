import { fieldsOf } from './ask-page.ts';
import { NOT_SENT } from './send.ts';
import { whenFound } from './shown.ts';

/**
 * A button with `data-fills` fills the part that it names. A part with `data-watches` is filled
 * after each change of the form that it names.
 */

const DELAY_MS = 300;
const asking = new Map<string, AbortController>();

async function fill(part: HTMLElement, form: HTMLFormElement, url: string): Promise<void> {
  asking.get(part.id)?.abort();
  const now = new AbortController();
  asking.set(part.id, now);
  part.setAttribute('aria-busy', 'true');
  try {
    const body = fieldsOf(form);
    const answer = await fetch(`${url.split('#')[0]}?part`, { method: 'POST', body, signal: now.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    part.innerHTML = await answer.text();
  } catch {
    if (now.signal.aborted) return;
    part.innerHTML = `<p role="alert">${NOT_SENT}</p>`;
  }
  part.removeAttribute('aria-busy');
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button[data-fills]');
  const part = button && document.getElementById(button.dataset.fills!);
  if (!part || !button.form) return;
  event.preventDefault();
  void fill(part, button.form, button.formAction);
});

whenFound('[data-watches]', (part) => {
  const form = document.getElementById(part.dataset.watches!) as HTMLFormElement;
  const later = () => setTimeout(() => void fill(part, form, part.dataset.from!), DELAY_MS);
  let timer = later();
  document.addEventListener('input', ({ target }) => {
    if ((target as HTMLInputElement).form !== form || (target as Element).closest('section')) return;
    clearTimeout(timer);
    timer = later();
  });
});

// In a section, Enter presses the button of the section instead of sending the whole form.
document.addEventListener('keydown', (event) => {
  const field = event.target as HTMLElement;
  const button = field.matches('section input') ? field.closest('section')!.querySelector<HTMLButtonElement>('button[data-fills]') : null;
  if (event.key !== 'Enter' || !button) return;
  event.preventDefault();
  button.click();
});

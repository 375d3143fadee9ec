import { askPage, fieldsOf } from './ask-page.ts';
import { announceReplaced } from './shown.ts';

/**
 * A changed choice in a form with `data-refresh="id id"` reloads the elements with these ids. Keeps
 * typed text in these elements.
 */
export function refreshOnChange(form: HTMLFormElement): void {
  let under: AbortController | undefined;
  form.addEventListener('change', async () => {
    under?.abort();
    under = new AbortController();
    const { signal } = under;
    const url = `${location.pathname}?${fieldsOf(form)}`;
    form.setAttribute('aria-busy', 'true');
    try {
      const { answer, page } = await askPage(url, { signal });
      if (answer.redirected || !answer.ok) return location.assign(url);
      if (signal.aborted) return;
      for (const id of form.dataset.refresh!.split(' ')) replace(document.getElementById(id), page.getElementById(id));
      history.replaceState(null, '', url);
      form.removeAttribute('aria-busy');
      announceReplaced();
    } catch {
      if (!signal.aborted) location.assign(url);
    }
  });
}

function replace(old: HTMLElement | null, fresh: HTMLElement | null): void {
  if (!old || !fresh) return;
  const focused = old.contains(document.activeElement) ? document.activeElement!.id : '';
  for (const field of old.querySelectorAll<HTMLInputElement>('input:not([type]), input[type="text"], textarea:not([readonly])')) {
    const same = field.id === '' ? null : (fresh.querySelector(`#${CSS.escape(field.id)}`) as HTMLInputElement | null);
    if (same && field.value !== field.defaultValue) same.value = field.value;
  }
  old.replaceWith(fresh);
  if (focused !== '') document.getElementById(focused)?.focus();
}

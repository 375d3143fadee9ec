import { askPage, fieldsOf, REFRESH } from './ask-page.ts';

const WAIT_MS = 150;

/** Lists matching screens and records while a person types in "Go to…" in the banner. */
export function offerPlaces(field: HTMLInputElement): void {
  const list = document.querySelector<HTMLElement>('#places')!;
  let timer = 0;
  let active = -1;
  const options = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')];
  const show = (isShown: boolean) => {
    list.hidden = !isShown;
    field.setAttribute('aria-expanded', String(isShown));
    if (!isShown) activate(-1);
  };
  const activate = (index: number) => {
    active = index;
    for (const [at, option] of options().entries()) option.setAttribute('aria-selected', String(at === index));
    const option = options()[index];
    option?.scrollIntoView({ block: 'nearest' });
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
  };
  const ask = async () => {
    const query = field.value;
    const { page } = await askPage(`${field.form!.action}?${fieldsOf(field.form!)}`, REFRESH);
    if (field.value !== query || document.activeElement !== field) return;
    const links = [...page.querySelectorAll<HTMLAnchorElement>('#found a')];
    list.replaceChildren(...links.map(optionOf));
    show(links.length > 0);
  };
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask().catch(() => show(false)), WAIT_MS);
  };
  field.addEventListener('focus', askSoon);
  field.addEventListener('input', askSoon);
  field.addEventListener('blur', () => show(false));
  field.addEventListener('keydown', (event) => {
    const count = options().length;
    if (event.key === 'ArrowDown' && count > 0) activate((active + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) activate((active + count - 1) % count);
    else if (event.key === 'Enter' && !list.hidden) open(options()[Math.max(active, 0)]);
    else if (event.key === 'Escape' && !list.hidden) show(false);
    else return;
    event.preventDefault();
  });
  // Not `click`: before a click the field loses the focus, which closes the list.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    open((event.target as HTMLElement).closest<HTMLElement>('[role="option"]'));
  });
}

function optionOf(link: HTMLAnchorElement, at: number): HTMLElement {
  const option = document.createElement('li');
  Object.assign(option, { id: `place-${at}`, role: 'option', textContent: link.textContent });
  option.dataset.href = link.getAttribute('href')!;
  option.setAttribute('aria-selected', 'false');
  return option;
}

function open(option: HTMLElement | null | undefined): void {
  if (option?.dataset.href) location.assign(option.dataset.href);
}

/** Shows a sentence in the status of the page, which screen readers read out. */
export function say(sentence: string): void {
  const status = document.querySelector<HTMLElement>('main > [role="status"]');
  if (!status) return;
  status.hidden = false;
  status.textContent = sentence;
}

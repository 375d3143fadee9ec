const RETRY_MS = 2000;
const LOST = 'Not sent. Check the connection and try again.';
/** Forms whose way to the service was just tried. */
const tried = new WeakSet<HTMLFormElement>();

/** The script of this page: a file that needs no session and no database. */
const probe = () => document.querySelector<HTMLScriptElement>('script[src]')!.src;

/** Sends a form only if the service answers, so a lost connection does not cost what was typed. */
export function sendForms(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    const method = form.getAttribute('method');
    if (method === 'dialog' || event.defaultPrevented) return;
    const isBusy = form.getAttribute('aria-busy') === 'true';
    form.setAttribute('aria-busy', 'true');
    if (method !== 'post' || tried.delete(form)) return;
    event.preventDefault();
    if (isBusy) return; // a second click
    document.querySelector('#not-sent')?.remove();
    fetch(probe(), { method: 'HEAD', cache: 'no-store' }).then(
      () => {
        tried.add(form);
        form.requestSubmit(event.submitter);
      },
      () => {
        form.removeAttribute('aria-busy');
        form.insertAdjacentHTML('afterbegin', `<div class="notice bad" role="alert" id="not-sent"><p>${LOST}</p></div>`);
      },
    );
  });
}

/** A page that could not be shown shows itself once it can. */
export function retryPage(): void {
  if (!document.querySelector('[data-retry]')) return;
  const timer = setInterval(async () => {
    const answer = await fetch(location.href, { headers: { 'X-Refresh': '1' } }).catch(() => undefined);
    if (!answer || answer.status >= 500) return;
    clearInterval(timer);
    location.reload();
  }, RETRY_MS);
}

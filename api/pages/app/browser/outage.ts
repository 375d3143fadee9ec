/** Only pages for signed-in members have this element. */
const place = () => document.querySelector<HTMLElement>('#outage');
const GOES_ON = 'This page keeps its last state and continues automatically.';
let isShown = false;

/**
 * Says why the event stream of `url` was lost, unless the stream is connected again. Resolves to
 * true if the session has ended: retries are then useless.
 */
export async function explainLostStream(url: string, isLost: () => boolean): Promise<boolean> {
  const asking = new AbortController();
  const answer = await fetch(url, { signal: asking.signal }).catch(() => undefined);
  if (!isLost()) {
    asking.abort();
    return false;
  }
  if (!answer) show([`We can't reach the gateway. ${GOES_ON}`]);
  if (answer?.status === 204) {
    show(['Your session has ended. ', signInLink(url), ', then come back to this page. What you typed stays.']);
    return true;
  }
  if (answer?.status === 503) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const what = page.querySelector('h1')?.textContent ?? 'The service is unavailable';
    show([`${what}. ${GOES_ON}`]);
  }
  asking.abort(); // the answer is an endless stream if the service works again
  return false;
}

/** Returns whether a message was shown. */
export function hideOutage(): boolean {
  if (!isShown) return false;
  isShown = false;
  place()?.replaceChildren();
  return true;
}

function show(words: (string | Node)[]): void {
  isShown = true;
  const sentence = document.createElement('p');
  sentence.className = 'notice bad';
  sentence.append(...words);
  place()?.replaceChildren(sentence);
}

/** Opens a new tab, so that this tab keeps typed text. */
function signInLink(events: string): HTMLAnchorElement {
  const link = document.createElement('a');
  const href = new URL('sign-in', new URL(events, location.href)).href;
  return Object.assign(link, { href, target: '_blank', rel: 'noopener', textContent: 'Sign in again' });
}

/** The place for the message about an outage; on pages of members only. */
const place = () => document.querySelector<HTMLElement>('#outage');
const GOES_ON = 'This page shows what it had, and goes on by itself.';
let isShown = false;

/**
 * Finds out why the stream of an address was lost, and shows the reason if the stream is still
 * missing. Resolves to whether the session has ended: a retry before a sign-in is then useless.
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
  asking.abort(); // a stream, if there is one again
  return false;
}

/** Hides the message. Returns whether one was shown. */
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

/** Opens in a new tab, so that text typed in this one stays. */
function signInLink(events: string): HTMLAnchorElement {
  const link = document.createElement('a');
  const href = new URL('sign-in', new URL(events, location.href)).href;
  return Object.assign(link, { href, target: '_blank', rel: 'noopener', textContent: 'Sign in again' });
}

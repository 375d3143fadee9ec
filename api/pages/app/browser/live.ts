import { load } from './load.ts';
import { explainLostStream, hideOutage } from './outage.ts';
import { pageUrl } from './rows.ts';

/** Minimum time between two refreshes of a page. Changes must be on screen within 2 s. */
const SPACING_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** A single error is often a normal end of the stream, after which the browser reconnects. */
const ERRORS_OF_AN_OUTAGE = 2;

/** `<topic>/<id>` or `all`: changes that the page does not show yet. */
const news = new Set<string>();
let position = '';
let source: EventSource | undefined;
let failures = 0;
/** Number of errors since the last message of the stream. */
let errors = 0;
let isRefreshing = false;

const parts = () => [...document.querySelectorAll<HTMLElement>('[data-live]')];
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const backoff = () => Math.min(SPACING_MS * 2 ** failures++, MAX_WAIT_MS);

/** Reloads parts of the page when their records change, while the tab is visible. */
export function followNews(): void {
  document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : connect()));
  addEventListener('pagehide', disconnect);
  addEventListener('pageshow', connect);
  addEventListener('focus', connect); // perhaps after a sign-in in another window
  document.addEventListener('answered', begin);
  begin();
}

function begin(): void {
  disconnect();
  position = document.body.dataset.position ?? '';
  connect();
}

function connect(): void {
  const { events } = document.body.dataset;
  if (events === undefined || source || document.hidden) return;
  const url = `${events}?after=${position}`;
  const opened = new EventSource(url);
  source = opened;
  opened.onmessage = ({ data, lastEventId }) => {
    [position, failures, errors] = [lastEventId, 0, 0];
    showState('Live');
    if (hideOutage()) news.add('all');
    if (data !== 'none') news.add(data);
    void refreshAll();
  };
  opened.onerror = async () => {
    showState('Not live. Connecting …');
    errors += 1;
    // Browsers reconnect by themselves, except after an answer that is not a stream.
    const isGivenUp = opened.readyState === EventSource.CLOSED;
    if (!isGivenUp && errors !== ERRORS_OF_AN_OUTAGE) return;
    const isOver = await explainLostStream(url, () => source === opened && opened.readyState !== EventSource.OPEN);
    if (source !== opened || !isGivenUp) return;
    source = undefined;
    if (isOver) showState('Not live.');
    else setTimeout(connect, backoff());
  };
}

function disconnect(): void {
  source?.close();
  source = undefined;
}

function showState(words: string): void {
  for (const status of document.querySelectorAll<HTMLElement>('[data-stream]')) {
    status.hidden = false;
    if (status.textContent !== words) status.textContent = words;
  }
}

async function refreshAll(): Promise<void> {
  if (isRefreshing) return;
  isRefreshing = true;
  while (news.size > 0) {
    const asked = [...news];
    news.clear();
    try {
      await refresh(asked);
      await wait(SPACING_MS);
    } catch {
      for (const one of asked) news.add(one);
      await wait(backoff());
    }
  }
  isRefreshing = false;
}

/** Rejects if a request fails. */
async function refresh(asked: readonly string[]): Promise<void> {
  const concerned = () => parts().filter(({ dataset }) => asked.some((one) => one === 'all' || isAbout(dataset.live!, one)));
  for (const from of new Set(concerned().map(({ dataset }) => dataset.from))) {
    await load(
      () => from ?? pageUrl(),
      () => concerned().filter(({ dataset }) => dataset.from === from),
    );
  }
}

function isAbout(topics: string, one: string): boolean {
  return topics.split(' ').some((topic) => one === topic || one.startsWith(`${topic}/`));
}

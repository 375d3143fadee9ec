import type { Completion, PassEnd } from '../pass.ts';
import { advanceClock } from './clock.ts';
import { create, jsonParse, jsonStringify, toText } from './primordials.ts';

type Settle = (completion: Completion) => void;
type IsolateEnd = Extract<PassEnd, { kind: 'returned' | 'threw' | 'failed' }>;

/** How much one report may carry before the rest waits for the next one, in UTF-16 units. */
const REPORT_LENGTH = 1024 * 1024;

const waiting: Record<number, Settle> = create(null);
let issued = 0;
let reported = 0;
const outbox: Record<number, string> = create(null);
let ending: string | undefined;
let abandon: (code: string, message: string) => void = () => {};

/** `onFailure` tells the host, even in the middle of a turn, that the pass is over. */
export function openTurns(onFailure: (code: string, message: string) => void): void {
  abandon = onFailure;
}

/** Number an event, keep it for the next report, and remember who waits for its completion. `describe` gives its JSON. */
export function issue(describe: (number: number) => string, settle: Settle): number {
  const number = issued++;
  outbox[number] = describe(number);
  waiting[number] = settle;
  return number;
}

/** Take one completion: the clock moves, then whoever waits for it goes on. */
export function complete(text: string): void {
  const completion = jsonParse(text) as Completion;
  advanceClock(completion.now);
  const settle = waiting[completion.number];
  delete waiting[completion.number];
  settle?.(completion);
}

/** The pass has its outcome; the first one stands. */
export function end(outcome: IsolateEnd): void {
  ending ??= endText(outcome);
}

/** The pass is over here and now, whatever the code is doing. */
export function fail(code: string, message: string): void {
  abandon(code, message);
}

/** What happened since the last report, as JSON; `more` says that another report is due at once. Called when the isolate is idle. */
export function report(): string {
  let events = '';
  while (reported < issued && events.length < REPORT_LENGTH) {
    events += (events === '' ? '' : ',') + outbox[reported];
    delete outbox[reported++];
  }
  const isAll = reported === issued;
  return `{"kind":"turn","events":[${events}],"more":${isAll ? 'false' : 'true'}${isAll && ending !== undefined ? `,"end":${ending}` : ''}}`;
}

// Written piece by piece, because a `toJSON` that the caller put on Object.prototype must not have a say in it.
function endText(outcome: IsolateEnd): string {
  if (outcome.kind === 'returned') return `{"kind":"returned","value":${jsonStringify(outcome.value)}}`;
  const { code, message } = outcome.error;
  const { line, column } = outcome.kind === 'threw' ? outcome.error : {};
  const position = line === undefined || column === undefined ? '' : `,"line":${toText(line)},"column":${toText(column)}`;
  return `{"kind":"${outcome.kind}","error":{"code":${jsonStringify(code)},"message":${jsonStringify(message)}${position}}}`;
}

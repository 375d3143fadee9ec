import type { Completion, PassEnd, ThrownError } from '../pass.ts';
import { advanceClock } from './clock.ts';
import { create, hasOwn, isSafeInteger, jsonParse, jsonStringify } from './primordials.ts';

type Settle = (completion: Completion) => void;
type IsolateEnd = Extract<PassEnd, { kind: 'returned' | 'failed' }> | { kind: 'threw'; error: ThrownError };

/**
 * How much one report may carry where it carries more than one thing, in UTF-16 units; counting bytes is slow here. Even if each takes three bytes, and even if the
 * one thing is an input or output of the most bytes, all of them escaped, the parent's cap on a frame holds it.
 */
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
  const hasRoomFor = (text: string) => events === '' || events.length + text.length < REPORT_LENGTH;
  while (reported < issued && hasRoomFor(outbox[reported]!)) {
    events += (events === '' ? '' : ',') + outbox[reported];
    delete outbox[reported++];
  }
  const isAll = reported === issued && (ending === undefined || hasRoomFor(ending));
  return `{"kind":"turn","events":[${events}],"more":${isAll ? 'false' : 'true'}${isAll && ending !== undefined ? `,"end":${ending}` : ''}}`;
}

// Written piece by piece, because what the caller put on Object.prototype, such as a `toJSON` or a line, must not have a say in it.
function endText(outcome: IsolateEnd): string {
  if (outcome.kind === 'returned')
    return `{"kind":"returned","value":${jsonStringify(outcome.value)}${outcome.isNothing ? ',"isNothing":true' : ''}}`;
  const { code, message } = outcome.error;
  const position = outcome.kind === 'threw' ? positionText(outcome.error) : '';
  const whose = outcome.kind === 'threw' ? `,"isOurs":${outcome.error.isOurs ? 'true' : 'false'}` : '';
  return `{"kind":"${outcome.kind}","error":{"code":${jsonStringify(code)},"message":${jsonStringify(message)}${position}${whose}}}`;
}

function positionText(error: ThrownError): string {
  if (!hasOwn(error, 'line') || !hasOwn(error, 'column')) return '';
  return isSafeInteger(error.line) && isSafeInteger(error.column) ? `,"line":${error.line},"column":${error.column}` : '';
}

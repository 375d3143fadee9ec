import type { Completion, PassEnd, ThrownError } from '../host/pass.ts';
import { advanceClock } from './clock.ts';
import { create, hasOwn, isSafeInteger, jsonParse, jsonStringify } from './primordials.ts';

type Settle = (completion: Completion) => void;
type IsolateEnd = Extract<PassEnd, { kind: 'returned' | 'failed' }> | { kind: 'threw'; error: ThrownError };

/**
 * Size of one report with several items, in UTF-16 units, since counting bytes is slow here. It
 * fits the limit of a frame even if each unit takes three bytes, and even if the only item is the
 * largest input or output, completely escaped.
 */
const REPORT_LENGTH = 1024 * 1024;

const waiting: Record<number, Settle> = create(null);
let issued = 0;
let reported = 0;
const outbox: Record<number, string> = create(null);
let ending: string | undefined;
let abandon: (code: string, message: string) => void = () => {};

/** `onFailure` reports to the host that the pass is over, even in the middle of a turn. */
export function openTurns(onFailure: (code: string, message: string) => void): void {
  abandon = onFailure;
}

/**
 * Numbers an event, keeps it for the next report, and registers what waits for its completion.
 * `describe` returns its JSON.
 */
export function issue(describe: (number: number) => string, settle: Settle): number {
  const number = issued++;
  outbox[number] = describe(number);
  waiting[number] = settle;
  return number;
}

/** Accepts one completion: advances the clock, then resolves the promise that waits for it. */
export function complete(text: string): void {
  const completion = jsonParse(text) as Completion;
  advanceClock(completion.now);
  const settle = waiting[completion.number];
  delete waiting[completion.number];
  settle?.(completion);
}

/** Records the outcome of the pass. The first one counts. */
export function end(outcome: IsolateEnd): void {
  ending ??= endText(outcome);
}

/** Ends the pass at once. */
export function fail(code: string, message: string): void {
  abandon(code, message);
}

/**
 * Everything since the last report, as JSON. `more`: another report follows at once. Called when
 * the isolate is idle.
 */
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

// Written piece by piece, so that a `toJSON` or another property on Object.prototype has no effect.
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

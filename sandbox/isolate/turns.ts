import type { Completion, PassEnd, ThrownError } from '../host/pass.ts';
import { advanceClock } from './clock.ts';
import { create, hasOwn, isSafeInteger, jsonParse, jsonStringify } from './primordials.ts';

type Settle = (completion: Completion) => void;
type IsolateEnd = Extract<PassEnd, { kind: 'returned' | 'failed' }> | { kind: 'threw'; error: ThrownError };

/**
 * A report takes further events up to this length. It is in UTF-16 units, because counting bytes is
 * slow in the isolate. Such a report fits a frame even if each unit takes three bytes.
 */
const REPORT_LENGTH = 1024 * 1024;

const waiting: Record<number, Settle> = create(null);
let issued = 0;
let reported = 0;
const outbox: Record<number, string> = create(null);
let ending: string | undefined;
let abandon: (code: string, message: string) => void = () => {};

/** Sets `onFailure`, which tells the host immediately that the pass has failed. */
export function openTurns(onFailure: (code: string, message: string) => void): void {
  abandon = onFailure;
}

/** Numbers an event and keeps it for the next report. `describe` returns the event as JSON. */
export function issue(describe: (number: number) => string, settle: Settle): number {
  const number = issued++;
  outbox[number] = describe(number);
  waiting[number] = settle;
  return number;
}

/** Advances the clock, then settles the event that a completion (JSON) answers. */
export function complete(text: string): void {
  const completion = jsonParse(text) as Completion;
  advanceClock(completion.now);
  const settle = waiting[completion.number];
  delete waiting[completion.number];
  settle?.(completion);
}

/** Records the outcome of the pass. Only the first outcome counts. */
export function end(outcome: IsolateEnd): void {
  ending ??= endText(outcome);
}

/** Ends the pass immediately with a failure that the code cannot catch. */
export function fail(code: string, message: string): void {
  abandon(code, message);
}

/**
 * Returns the events since the last report, and the end of the pass, as JSON. `more`: another
 * report must be read immediately.
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

// Builds the object by hand, so that a `toJSON` on Object.prototype has no effect.
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

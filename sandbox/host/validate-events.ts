import { CODE_RUN } from '../../domain/limits.ts';
import type { PassFailure, PassRequest, SandboxEvent } from './pass.ts';

const MB = 1024 * 1024;

type Problem = { code: PassFailure; message: string };

/** Maximum depth of JSON, because code that reads it is recursive. */
const DEPTH_MAX = 256;
/** Limit of all inputs in flight together, because this process holds them in memory. */
export const WAITING_INPUT_MAX_BYTES = 32 * MB;

export const INPUTS_TOO_LARGE: Problem = {
  code: 'CODE_INPUT_TOO_LARGE',
  message: `The inputs of the calls in flight are larger than ${WAITING_INPUT_MAX_BYTES / MB} MB together`,
};
const DISTRUSTED: Problem = { code: 'CODE_CRASHED', message: 'The sandbox process ended unexpectedly' };

/** Validates every event of a runner, because the caller's code may have compromised the runner. */
export class EventValidator {
  readonly #actions: Map<string, ReadonlySet<string>>;
  readonly #waiting = new Map<number, { kind: SandboxEvent['kind']; bytes: number }>();
  #issued = 0;
  #calls = 0;
  #timers = 0;
  #waitingBytes = 0;

  constructor(surface: PassRequest['surface']) {
    this.#actions = new Map(Object.entries(surface).map(([alias, names]) => [alias, new Set(names)]));
  }

  /** Returns a problem if the pass must end. */
  accept(event: SandboxEvent): Problem | undefined {
    if (event.number !== this.#issued++) return DISTRUSTED;
    const bytes = event.kind === 'call' ? Buffer.byteLength(event.input) : 0;
    const problem = event.kind === 'call' ? this.#acceptCall(event, bytes) : this.#acceptTimer();
    if (!problem) this.#waiting.set(event.number, { kind: event.kind, bytes });
    return problem;
  }

  /** Returns false if no event of this number waits for an answer. */
  settle(number: number): boolean {
    this.#waitingBytes -= this.#waiting.get(number)?.bytes ?? 0;
    return this.#waiting.delete(number);
  }

  hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  hasWaitingCalls(): boolean {
    return [...this.#waiting.values()].some(({ kind }) => kind === 'call');
  }

  checkOutput(value: string): Problem | undefined {
    return checkJson(value, Buffer.byteLength(value), CODE_RUN.outputMaxBytes, 'The output', 'CODE_OUTPUT_TOO_LARGE');
  }

  #acceptTimer(): Problem | undefined {
    if (++this.#timers <= CODE_RUN.maxTimers) return undefined;
    return { code: 'CODE_TIMER_LIMIT', message: `The code started more than ${CODE_RUN.maxTimers} timers` };
  }

  #acceptCall({ alias, action, input }: Extract<SandboxEvent, { kind: 'call' }>, bytes: number): Problem | undefined {
    if (++this.#calls > CODE_RUN.maxCalls)
      return { code: 'CODE_CALL_LIMIT', message: `The code made more than ${CODE_RUN.maxCalls} calls` };
    if (!this.#actions.get(alias)?.has(action)) return DISTRUSTED;
    const problem = checkJson(input, bytes, CODE_RUN.inputMaxBytes, `The input of ${alias}.${action}`, 'CODE_INPUT_TOO_LARGE');
    if (problem) return problem;
    if (!isCanonical(input)) return DISTRUSTED;
    this.#waitingBytes += bytes;
    return this.#waitingBytes > WAITING_INPUT_MAX_BYTES ? INPUTS_TOO_LARGE : undefined;
  }
}

function checkJson(text: string, bytes: number, maxBytes: number, what: string, code: PassFailure): Problem | undefined {
  if (bytes > maxBytes) return { code, message: `${what} is larger than ${maxBytes / MB} MB` };
  if (depthOf(text) > DEPTH_MAX) return { code, message: `${what} is nested deeper than ${DEPTH_MAX} levels` };
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return DISTRUSTED;
  }
}

/** Whether the JSON has a canonical form, which approvals need. */
function isCanonical(json: string): boolean {
  return !HALF_CHARACTER.test(json) && !(PERHAPS_INFINITE.test(json) && holdsInfinity(JSON.parse(json)));
}

// An intact isolate writes an escape from `\ud800` to `\udfff` only for a lone surrogate.
const HALF_CHARACTER = /(?:^|[^\\])(?:\\\\)*\\u[dD][89a-fA-F]/;
const PERHAPS_INFINITE = /\d[eE]\+?\d\d|\d{300}/;

function holdsInfinity(value: unknown): boolean {
  const left = [value];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) return true;
    if (typeof item === 'object' && item !== null) for (const member of Object.values(item)) left.push(member);
  }
  return false;
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (isInText) {
      if (unit === 0x5c) index++;
      else if (unit === 0x22) isInText = false;
    } else if (unit === 0x22) isInText = true;
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return deepest;
}

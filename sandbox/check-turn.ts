import { CODE_RUN } from '../domain/limits.ts';
import type { PassFailure, PassRequest, SandboxEvent } from './pass.ts';

const MB = 1024 * 1024;

type Problem = { code: PassFailure; message: string };

/** Deeper nesting than this is refused: what reads the value next may not bear it. */
const DEPTH_MAX = 256;
/** All inputs that wait for an answer, together: what a run may make this process hold. */
export const WAITING_INPUT_MAX_BYTES = 32 * MB;

export const INPUTS_TOO_LARGE: Problem = {
  code: 'CODE_INPUT_TOO_LARGE',
  message: `The inputs of the calls in flight are larger than ${WAITING_INPUT_MAX_BYTES / MB} MB together`,
};
const DISTRUSTED: Problem = { code: 'CODE_CRASHED', message: 'The sandbox process broke off' };

/** Counts and checks, on this side, everything a runner reports: it may have been taken over by the code in it. */
export function turnChecker(surface: PassRequest['surface']) {
  const actions = new Map(Object.entries(surface).map(([alias, names]) => [alias, new Set(names)]));
  const waiting = new Map<number, { kind: SandboxEvent['kind']; bytes: number }>();
  let issued = 0;
  let calls = 0;
  let timers = 0;
  let waitingBytes = 0;

  return {
    /** The events in order, or why the pass ends here. */
    accept(event: SandboxEvent): Problem | undefined {
      if (event.number !== issued++) return DISTRUSTED;
      const bytes = event.kind === 'call' ? Buffer.byteLength(event.input) : 0;
      if (event.kind === 'timer') {
        if (++timers > CODE_RUN.maxTimers)
          return { code: 'CODE_TIMER_LIMIT', message: `The code started more than ${CODE_RUN.maxTimers} timers` };
      } else {
        if (++calls > CODE_RUN.maxCalls) return { code: 'CODE_CALL_LIMIT', message: `The code made more than ${CODE_RUN.maxCalls} calls` };
        if (!actions.get(event.alias)?.has(event.action)) return DISTRUSTED;
        const problem = checkJson(
          event.input,
          bytes,
          CODE_RUN.inputMaxBytes,
          `The input of ${event.alias}.${event.action}`,
          'CODE_INPUT_TOO_LARGE',
        );
        if (problem) return problem;
        if (!isCanonical(event.input)) return DISTRUSTED;
        waitingBytes += bytes;
        if (waitingBytes > WAITING_INPUT_MAX_BYTES) return INPUTS_TOO_LARGE;
      }
      waiting.set(event.number, { kind: event.kind, bytes });
      return undefined;
    },

    /** False when no event of that number waits. */
    settle(number: number): boolean {
      waitingBytes -= waiting.get(number)?.bytes ?? 0;
      return waiting.delete(number);
    },

    hasWaiting: () => waiting.size > 0,
    hasWaitingCalls: () => [...waiting.values()].some(({ kind }) => kind === 'call'),
    checkOutput: (value: string) =>
      checkJson(value, Buffer.byteLength(value), CODE_RUN.outputMaxBytes, 'The output', 'CODE_OUTPUT_TOO_LARGE'),
  };
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

/** Only then can a call be bound to what was approved; the isolate refuses such an input by itself, as `VALIDATION_ERROR`. */
function isCanonical(json: string): boolean {
  return !HALF_CHARACTER.test(json) && !(PERHAPS_INFINITE.test(json) && holdsInfinity(JSON.parse(json)));
}

// An honest isolate writes a code unit in this way only where its other half is missing.
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

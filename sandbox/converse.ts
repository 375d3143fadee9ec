import { CODE_RUN } from '../domain/limits.ts';
import { INPUTS_TOO_LARGE, WAITING_INPUT_MAX_BYTES } from './check-turn.ts';
import type { Runner } from './launch-runner.ts';
import type { PassFailure, PassRequest, SandboxEvent } from './pass.ts';
import { passLog } from './pass-log.ts';
import type { RunnerMessage, TurnMessage } from './runner-message.ts';

type Stop = (code: PassFailure, message?: string) => void;

/** Talks with a runner: one message, then everything until the isolate is idle again. Logs are kept as they come. */
export function converse(runner: Runner, request: PassRequest, stop: Stop) {
  const log = passLog();
  let clock = request.startedAt;
  let busyMs = 0;
  let busySince: number | undefined;
  let events: SandboxEvent[] = [];
  let inputLength = 0;
  let idle: ((turn: Pick<TurnMessage, 'events' | 'end'>) => void) | undefined;
  let isClosed = false;

  const rest = () => {
    if (busySince !== undefined) busyMs += performance.now() - busySince;
    busySince = undefined;
  };
  // Nothing that the code asked for in this turn, or asks for now, is done any more.
  const breakOff: Stop = (code, message) => {
    isClosed = true;
    stop(code, message);
  };
  const hearTurn = (turn: TurnMessage) => {
    if (!idle || (turn.more && turn.events.length === 0)) return breakOff('CODE_CRASHED');
    // Never more than may be issued, however many frames they come in.
    events = events.concat(turn.events);
    if (events.length > CODE_RUN.maxCalls + CODE_RUN.maxTimers)
      return breakOff('CODE_CALL_LIMIT', 'The code made too many calls and timers');
    for (const event of turn.events) inputLength += event.kind === 'call' ? event.input.length : 0;
    if (inputLength > WAITING_INPUT_MAX_BYTES) return breakOff(INPUTS_TOO_LARGE.code, INPUTS_TOO_LARGE.message);
    if (turn.more) return;
    const [done, all] = [idle, events];
    [idle, events, inputLength] = [undefined, [], 0];
    rest();
    done({ events: all, ...(turn.end ? { end: turn.end } : {}) });
  };
  runner.onMessage((message: RunnerMessage | undefined) => {
    if (isClosed) return;
    if (message?.kind === 'turn') hearTurn(message);
    else if (message?.kind === 'log') log.add(message.level, message.message, clock) || breakOff('CODE_CRASHED');
    else if (message?.kind === 'failed') breakOff(message.code, MESSAGES[message.code] ?? message.message);
    else breakOff('CODE_CRASHED');
  });

  return {
    log,
    isClosed: () => isClosed,
    close: () => {
      rest();
      isClosed = true;
    },
    busyMs: () => {
      rest();
      return busyMs;
    },
    say(message: { kind: 'start' | 'complete'; now: number } & Record<string, unknown>): Promise<Pick<TurnMessage, 'events' | 'end'>> {
      clock = Math.max(clock, message.now);
      busySince = performance.now();
      return new Promise((resolve) => {
        idle = resolve;
        runner.send(message);
      });
    },
  };
}

/** What callers read about ends that need no particulars. */
export const MESSAGES: Partial<Record<PassFailure, string>> = {
  CODE_MEMORY: 'The code used more memory than a run may',
  CODE_CRASHED: 'The sandbox process broke off',
  CODE_CANCELED: 'The run was canceled',
  CODE_TIMEOUT: 'The code ran longer than it may',
};

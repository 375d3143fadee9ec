import { CODE_RUN } from '../domain/limits.ts';
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
  let idle: ((turn: Pick<TurnMessage, 'events' | 'end'>) => void) | undefined;
  let isClosed = false;

  const rest = () => {
    if (busySince !== undefined) busyMs += performance.now() - busySince;
    busySince = undefined;
  };
  const hearTurn = (turn: TurnMessage) => {
    if (!idle || (turn.more && turn.events.length === 0)) return stop('CODE_CRASHED');
    // Never more than may be issued, however many frames they come in.
    events = events.concat(turn.events);
    if (events.length > CODE_RUN.maxCalls + CODE_RUN.maxTimers) return stop('CODE_CALL_LIMIT', 'The code made too many calls and timers');
    if (turn.more) return;
    const [done, all] = [idle, events];
    [idle, events] = [undefined, []];
    rest();
    done({ events: all, ...(turn.end ? { end: turn.end } : {}) });
  };
  runner.onMessage((message: RunnerMessage | undefined) => {
    if (isClosed) return;
    if (message?.kind === 'turn') hearTurn(message);
    else if (message?.kind === 'log') log.add(message.level, message.message, clock) || stop('CODE_CRASHED');
    else if (message?.kind === 'failed') {
      // What the code still asked for in this turn must not be done.
      isClosed = true;
      stop(message.code, MESSAGES[message.code] ?? message.message);
    } else stop('CODE_CRASHED');
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

import { CODE_RUN } from '../../domain/limits.ts';
import type { Runner } from './launch-runner.ts';
import type { PassFailure, SandboxEvent } from './pass.ts';
import { passLog } from './pass-log.ts';
import type { RunnerMessage, TurnMessage } from './runner-message.ts';
import { INPUTS_TOO_LARGE, WAITING_INPUT_MAX_BYTES } from './validate-events.ts';

/** What the isolate reported until it was idle again. */
export type Turn = Pick<TurnMessage, 'events' | 'end'>;

type Message = { kind: 'start' | 'complete'; now: number } & Record<string, unknown>;
type Fail = (code: PassFailure, message?: string) => void;

/**
 * Exchanges the messages of one pass (execution of the code) with its runner. If the runner breaks
 * the protocol or a limit, the session closes and calls `fail`.
 */
export class RunnerSession {
  readonly log = passLog();
  readonly #runner: Pick<Runner, 'send' | 'onMessage'>;
  readonly #fail: Fail;
  #clock: number;
  #busyMs = 0;
  #busySince: number | undefined;
  #events: SandboxEvent[] = [];
  #inputLength = 0;
  #resolveTurn: ((turn: Turn) => void) | undefined;
  #hasAnswered = false;
  #isClosed = false;

  /** `startedAt`: epoch ms at which the run's clock starts. */
  constructor(runner: Pick<Runner, 'send' | 'onMessage'>, startedAt: number, fail: Fail) {
    this.#runner = runner;
    this.#clock = startedAt;
    this.#fail = fail;
    runner.onMessage((message) => this.#receive(message));
  }

  /**
   * Resolves to the turn that answers the message. Never settles if the session is closed before
   * the answer, because the runner may then serve another pass.
   */
  say(message: Message): Promise<Turn> {
    if (this.#isClosed) return new Promise(() => {});
    this.#clock = Math.max(this.#clock, message.now);
    this.#busySince = performance.now();
    return new Promise((resolve) => {
      this.#resolveTurn = resolve;
      this.#runner.send(message);
    });
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether the session is open and the runner has answered every message. */
  isIdle(): boolean {
    return this.#hasAnswered && !this.#isClosed && !this.#resolveTurn;
  }

  close(): void {
    this.#pauseClock();
    this.#isClosed = true;
    this.#runner.onMessage(() => {});
  }

  /** Returns how long the isolate was busy, in ms. Counting stops until the next message. */
  busyMs(): number {
    this.#pauseClock();
    return this.#busyMs;
  }

  #receive(message: RunnerMessage | undefined): void {
    if (this.#isClosed) return;
    if (message?.kind === 'failed') this.#abort(message.code, MESSAGES[message.code] ?? message.message);
    else if (message?.kind === 'turn') this.#receiveTurn(message);
    else if (message?.kind !== 'log' || !this.log.add(message.level, message.message, this.#clock)) this.#abort('CODE_CRASHED');
  }

  #receiveTurn(turn: TurnMessage): void {
    const problem = this.#collect(turn);
    if (problem) this.#abort(problem.code, problem.message);
    else if (!turn.more) this.#endTurn(turn);
  }

  #collect(turn: TurnMessage): { code: PassFailure; message?: string } | undefined {
    if (!this.#resolveTurn || (turn.more && turn.events.length === 0)) return { code: 'CODE_CRASHED' };
    this.#events = this.#events.concat(turn.events);
    if (this.#events.length > CODE_RUN.maxCalls + CODE_RUN.maxTimers)
      return { code: 'CODE_CALL_LIMIT', message: 'The code made too many calls and timers' };
    for (const event of turn.events) this.#inputLength += event.kind === 'call' ? event.input.length : 0;
    return this.#inputLength > WAITING_INPUT_MAX_BYTES ? INPUTS_TOO_LARGE : undefined;
  }

  #endTurn({ end }: TurnMessage): void {
    const [resolve, events] = [this.#resolveTurn!, this.#events];
    [this.#resolveTurn, this.#events, this.#inputLength] = [undefined, [], 0];
    this.#pauseClock();
    this.#hasAnswered = true;
    resolve({ events, ...(end ? { end } : {}) });
  }

  /** The host gets no event of this turn or of later turns. */
  #abort(code: PassFailure, message?: string): void {
    this.#isClosed = true;
    this.#fail(code, message);
  }

  #pauseClock(): void {
    if (this.#busySince !== undefined) this.#busyMs += performance.now() - this.#busySince;
    this.#busySince = undefined;
  }
}

/** Fixed messages for callers, in place of the runner's own. */
export const MESSAGES: Partial<Record<PassFailure, string>> = {
  CODE_MEMORY: 'The code used more memory than a run may use',
  CODE_CRASHED: 'The sandbox process ended unexpectedly',
  CODE_CANCELED: 'The run was canceled',
  CODE_TIMEOUT: 'The code ran longer than its time limit',
};

import { createHash } from 'node:crypto';
import { isErrorCode } from '../../domain/errors.ts';
import { CODE_RUN } from '../../domain/limits.ts';
import { importPosition } from '../reader/import-position.ts';
import { inChunks } from '../reader/in-chunks.ts';
import { placesInCode } from '../reader/place-in-code.ts';
import { callerPosition, type RunnableCode } from '../reader/prepare-code.ts';
import { ISOLATE_LIMITS, OUT_OF_MEMORY, type Runner, type RunnerExit } from './launch-runner.ts';
import type { PassEnd, PassFailure, PassHost, PassRequest, PassResult } from './pass.ts';
import type { TurnMessage } from './runner-message.ts';
import { MESSAGES, RunnerSession } from './runner-session.ts';
import { EventValidator } from './validate-events.ts';

/**
 * The state of a runner after a pass (one execution of the code). `idle`: the runner waits. `lost`:
 * killed or crashed before its first answer. `broken`: any other state.
 */
export type RunnerLeft = 'idle' | 'lost' | 'broken';

interface DriveOptions {
  signal?: AbortSignal;
  /** Called once, before `driveRunner` settles. Default: kills the runner. */
  release?: (left: RunnerLeft) => void;
}

/**
 * Runs one pass in a runner. Rejects only for an error of the host or of the program's promise.
 * Releases the runner before the returned promise settles. A released runner gets no message of
 * this pass.
 */
export async function driveRunner(
  runner: Runner,
  request: PassRequest,
  host: PassHost | Promise<PassHost>,
  { signal, release = () => runner.kill() }: DriveOptions = {},
): Promise<PassResult> {
  let left: RunnerLeft = 'broken';
  const stopped = Promise.withResolvers<PassEnd>();
  const fail = (code: PassFailure, message = MESSAGES[code] ?? STOPPED) => stopped.resolve({ kind: 'failed', error: { code, message } });
  const cancel = () => fail('CODE_CANCELED');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  const session = new RunnerSession(runner, request.startedAt, fail);
  runner.onExit((exit) => {
    const code = causeOf(exit);
    if (!session.hasAnswered() && (isKill(exit) || code === 'CODE_CRASHED')) left = 'lost';
    stopped.resolve({ kind: 'failed', error: { code, message: MESSAGES[code] ?? STOPPED }, wasKilled: isKill(exit) });
  });

  const { timeMs, wholeMs = timeMs } = request.limits;
  let deadline: NodeJS.Timeout | undefined;
  const end = (async () => {
    const program = await request.program;
    if (!program) return UNREAD;
    if (session.isClosed()) return PAUSED;
    deadline = setTimeout(fail, timeMs, 'CODE_TIMEOUT', `The code ran longer than ${wholeMs / 1000} seconds`);
    return playTurns(session, program, request, host);
  })();
  end.catch(() => {}); // a rejection after the pass was stopped has no effect
  try {
    const outcome = await Promise.race([stopped.promise, end]);
    if (session.isIdle() && ENDS_OF_CODE.has(outcome.kind)) left = 'idle';
    return { ...outcome, logs: session.log.lines, sandboxMs: session.busyMs() };
  } finally {
    session.close();
    clearTimeout(deadline);
    signal?.removeEventListener('abort', cancel);
    runner.onExit(() => {});
    release(left);
  }
}

const ENDS_OF_CODE: ReadonlySet<PassEnd['kind']> = new Set(['returned', 'threw', 'paused']);

const STOPPED = 'The code was stopped';

async function playTurns(
  session: RunnerSession,
  program: RunnableCode,
  request: PassRequest,
  awaitedHost: PassHost | Promise<PassHost>,
): Promise<PassEnd> {
  const validator = new EventValidator(request.surface);
  const withPlace = placesInCode(program);
  let turn = await session.say({ kind: 'start', code: program.code, ...startOf(request) });
  const host = await awaitedHost;
  host.onLogs?.(session.log.lines);
  let end: PassEnd | undefined;
  while (true) {
    const problem = await inChunks(turn.events, (events) => firstDefined(events, (event) => validator.accept(event)));
    if (problem) return { kind: 'failed', error: problem };
    const isOver = await inChunks(turn.events, (events) => {
      if (session.isClosed()) return true;
      host.onEvents(events.map(withPlace));
      return undefined;
    });
    if (isOver || session.isClosed()) return PAUSED;
    end ??= turn.end && endOf(turn.end, program, validator);
    if (end && !validator.hasWaitingCalls()) return end;
    if (!validator.hasWaiting()) return STALLED;

    const completion = await host.nextCompletion();
    if (completion === 'pause' || session.isClosed()) return PAUSED;
    if (!validator.settle(completion.number)) throw new Error(`no event ${completion.number} waits for a completion`);
    if (completion.ok && Buffer.byteLength(completion.value) > CODE_RUN.resultMaxBytes) return RESULT_TOO_LARGE;
    turn = await session.say({ kind: 'complete', ...completion });
  }
}

function firstDefined<Item, Answer>(items: readonly Item[], ask: (item: Item) => Answer | undefined): Answer | undefined {
  for (const item of items) {
    const answer = ask(item);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

const PAUSED: PassEnd = { kind: 'paused' };
const STALLED: PassEnd = {
  kind: 'failed',
  error: { code: 'CODE_STALLED', message: 'The code waits for something that can never come: a promise that nothing settles' },
};
const UNREAD: PassEnd = {
  kind: 'failed',
  error: { code: 'CODE_TIMEOUT', message: 'The code is too intricate to be read; split it into shorter programs' },
};
const RESULT_TOO_LARGE: PassEnd = {
  kind: 'failed',
  error: { code: 'CODE_RESULT_TOO_LARGE', message: `The result of a call is larger than ${CODE_RUN.resultMaxBytes / 1024 / 1024} MB` },
};

function startOf({ surface, inputs, seed, startedAt }: PassRequest) {
  const digest = createHash('sha256').update(seed).digest();
  return {
    surface,
    inputs,
    startedAt,
    now: startedAt,
    seed: Array.from({ length: 8 }, (_, index) => digest.readUInt32LE(index * 4)),
    limits: ISOLATE_LIMITS,
  };
}

function endOf(end: NonNullable<TurnMessage['end']>, program: RunnableCode, validator: EventValidator): PassEnd {
  if (end.kind === 'failed') return end;
  if (end.kind === 'returned') {
    const problem = validator.checkOutput(end.value);
    return problem ? { kind: 'failed', error: problem } : end;
  }
  const { message, line, column } = end.error;
  const code = codeOf(end.error);
  if (code === 'CODE_SYNTAX_ERROR' && message === OVERFLOW)
    return { kind: 'threw', error: { code, message: 'The code is nested too deeply' } };
  if (code === 'CODE_SYNTAX_ERROR' && program.syntaxError?.tooDeep === false) {
    const { line, column, message: ours } = program.syntaxError;
    // The engine's message describes the wrapped code, so the parser's message replaces it. Only a
    // message with the advice on modules is kept.
    return { kind: 'threw', error: { code, message: message.includes(NO_MODULES) ? message : ours, line, column } };
  }
  if (line === undefined || column === undefined || line < 1 || column < 1) return { kind: 'threw', error: { code, message } };
  const position = callerPosition(program, { line, column });
  const isImport = code === 'CODE_NOT_AVAILABLE' && message.startsWith('import()');
  return { kind: 'threw', error: { code, message, ...(isImport ? importPosition(program, position) : position) } };
}

const OVERFLOW = 'Maximum call stack size exceeded';
const NO_MODULES = 'There are no modules here';

/** Reserved prefixes, in addition to the service's error codes. */
const RESERVED = /^(CODE|APPROVAL|MCP)_/;

function codeOf({ code, isOurs }: { code: string; isOurs: boolean }): string {
  return isOurs || !(RESERVED.test(code) || isErrorCode(code)) ? code : 'CODE_ERROR';
}

function causeOf({ signal, stderr, wasNearlyFull }: RunnerExit): PassFailure {
  if (signal === 'SIGXCPU') return 'CODE_TIMEOUT';
  // This process did not send the SIGKILL, so most likely the kernel did, because memory ran out.
  return signal === 'SIGKILL' || wasNearlyFull || OUT_OF_MEMORY.test(stderr) ? 'CODE_MEMORY' : 'CODE_CRASHED';
}

/** Whether the runner was killed. `signal` may be null: the wrapper does not always pass it on. */
function isKill({ signal, stderr, wasNearlyFull }: RunnerExit): boolean {
  return (signal === 'SIGKILL' || (signal === null && !wasNearlyFull)) && !OUT_OF_MEMORY.test(stderr);
}

import { createHash } from 'node:crypto';
import { isErrorCode } from '../domain/errors.ts';
import { CODE_RUN } from '../domain/limits.ts';
import { turnChecker } from './check-turn.ts';
import { converse, MESSAGES } from './converse.ts';
import { importPosition } from './import-position.ts';
import { inPortions } from './in-portions.ts';
import { ISOLATE_LIMITS, OUT_OF_MEMORY, type Runner, type RunnerExit } from './launch-runner.ts';
import type { PassEnd, PassFailure, PassHost, PassRequest, PassResult } from './pass.ts';
import { placesInCode } from './place-in-code.ts';
import { callerPosition, type RunnableCode } from './prepare-code.ts';
import { readRunnable } from './read-code.ts';
import type { TurnMessage } from './runner-message.ts';

/**
 * Run one pass in a runner of its own, which is killed by the time this resolves. Always resolves, except when the host throws.
 * The pass ends when the code has ended and the calls it did not wait for are answered, too.
 */
export async function executePass(
  runner: Runner,
  request: PassRequest,
  host: PassHost | Promise<PassHost>,
  signal?: AbortSignal,
): Promise<PassResult> {
  const stopped = Promise.withResolvers<PassEnd>();
  const stop = (code: PassFailure, message = MESSAGES[code] ?? STOPPED) => stopped.resolve({ kind: 'failed', error: { code, message } });
  const { timeMs, wholeMs = timeMs } = request.limits;
  const askedAt = performance.now();
  let readAt: number | undefined;
  let deadline: NodeJS.Timeout | undefined;
  const begin = () => {
    readAt = performance.now();
    deadline = setTimeout(stop, timeMs, 'CODE_TIMEOUT', `The code ran longer than ${wholeMs / 1000} seconds`);
  };
  const cancel = () => stop('CODE_CANCELED');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  void runner.exited.then((exit) => {
    const code = causeOf(exit);
    stopped.resolve({ kind: 'failed', error: { code, message: MESSAGES[code] ?? STOPPED }, wasKilled: isKill(exit) });
  });

  const conversation = converse(runner, request, stop);
  const end = drive(conversation, request, host, begin);
  // When the pass is stopped, what the host or the runner still does is of no interest any more.
  end.catch(() => {});
  try {
    const { log, busyMs } = conversation;
    const outcome = await Promise.race([stopped.promise, end]);
    return { ...outcome, logs: log.lines, sandboxMs: busyMs(), readMs: (readAt ?? performance.now()) - askedAt };
  } finally {
    conversation.close();
    clearTimeout(deadline);
    signal?.removeEventListener('abort', cancel);
    runner.kill();
  }
}

const STOPPED = 'The code was stopped';

type Conversation = ReturnType<typeof converse>;

/** Plays the turns of a pass, which begins when its code has been read: what the code asks goes to the host, what the host answers goes to the code, one at a time. */
async function drive(
  conversation: Conversation,
  request: PassRequest,
  awaited: PassHost | Promise<PassHost>,
  begin: () => void,
): Promise<PassEnd> {
  const prepared = await readRunnable(request.code, request.inputs === undefined ? 'svc' : 'inputs', request.party);
  if (!prepared) return UNREAD;
  if (conversation.isClosed()) return PAUSED;
  begin();
  const checker = turnChecker(request.surface);
  const placed = placesInCode(prepared);
  let turn = await conversation.say({ kind: 'start', code: prepared.code, ...startOf(request) });
  const host = await awaited;
  host.onLogs?.(conversation.log.lines);
  let end: PassEnd | undefined;
  while (true) {
    const problem = await inPortions(turn.events, (events) => firstOf(events, checker.accept));
    if (problem) return { kind: 'failed', error: problem };
    const isOver = await inPortions(turn.events, (events) => {
      if (conversation.isClosed()) return true;
      host.onEvents(events.map(placed));
      return undefined;
    });
    if (isOver || conversation.isClosed()) return PAUSED;
    end ??= turn.end && finish(turn.end, prepared, checker.checkOutput);
    if (end && !checker.hasWaitingCalls()) return end;
    if (!checker.hasWaiting()) return STALLED;

    const completion = await host.nextCompletion();
    if (completion === 'pause' || conversation.isClosed()) return PAUSED;
    if (!checker.settle(completion.number)) throw new Error(`no event ${completion.number} waits for a completion`);
    if (completion.ok && Buffer.byteLength(completion.value) > CODE_RUN.resultMaxBytes) return RESULT_TOO_LARGE;
    turn = await conversation.say({ kind: 'complete', ...completion });
  }
}

/** The first answer that is not undefined; nothing after it is asked. */
function firstOf<Item, Answer>(items: readonly Item[], ask: (item: Item) => Answer | undefined): Answer | undefined {
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

function finish(
  end: NonNullable<TurnMessage['end']>,
  prepared: RunnableCode,
  check: (value: string) => { code: PassFailure; message: string } | undefined,
): PassEnd {
  if (end.kind === 'failed') return end;
  if (end.kind === 'returned') {
    const problem = check(end.value);
    return problem ? { kind: 'failed', error: problem } : end;
  }
  const { message, line, column } = end.error;
  const code = codeOf(end.error);
  if (code === 'CODE_SYNTAX_ERROR' && message === OVERFLOW)
    return { kind: 'threw', error: { code, message: 'The code is nested too deeply' } };
  if (code === 'CODE_SYNTAX_ERROR' && prepared.syntaxError?.tooDeep === false) {
    const { line, column, message: ours } = prepared.syntaxError;
    // The engine reads more than the caller wrote, and speaks of that; but it knows what to advise.
    return { kind: 'threw', error: { code, message: message.includes(NO_MODULES) ? message : ours, line, column } };
  }
  if (line === undefined || column === undefined || line < 1 || column < 1) return { kind: 'threw', error: { code, message } };
  const position = callerPosition(prepared, { line, column });
  const isImport = code === 'CODE_NOT_AVAILABLE' && message.startsWith('import()');
  return { kind: 'threw', error: { code, message, ...(isImport ? importPosition(prepared, position) : position) } };
}

/** In the engine's words: of a text that it reads, and of what our bootstrap adds. */
const OVERFLOW = 'Maximum call stack size exceeded';
const NO_MODULES = 'There are no modules here';

/** Codes that the service itself ends runs with, today or one day. */
const RESERVED = /^(CODE|APPROVAL|MCP)_/;

/** A caller's code may give its errors codes of its own, but none that says something of us. */
function codeOf({ code, isOurs }: { code: string; isOurs: boolean }): string {
  return isOurs || !(RESERVED.test(code) || isErrorCode(code)) ? code : 'CODE_ERROR';
}

function causeOf({ signal, stderr, wasNearlyFull }: RunnerExit): PassFailure {
  if (signal === 'SIGXCPU') return 'CODE_TIMEOUT';
  // SIGKILL that is not ours is the kernel's, out of memory; the engine lists its last collections when it finds no more of it.
  return signal === 'SIGKILL' || wasNearlyFull || OUT_OF_MEMORY.test(stderr) ? 'CODE_MEMORY' : 'CODE_CRASHED';
}

/** A runner never ends by itself: an exit is that of the program that holds its namespaces, which does not always pass on what killed it. */
function isKill({ signal, stderr, wasNearlyFull }: RunnerExit): boolean {
  return (signal === 'SIGKILL' || (signal === null && !wasNearlyFull)) && !OUT_OF_MEMORY.test(stderr);
}

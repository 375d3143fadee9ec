import { createHash } from 'node:crypto';
import { CODE_RUN } from '../domain/limits.ts';
import { turnChecker } from './check-turn.ts';
import { converse, MESSAGES } from './converse.ts';
import { importPosition } from './import-position.ts';
import { ISOLATE_LIMITS, type Runner, type RunnerExit } from './launch-runner.ts';
import type { PassEnd, PassFailure, PassHost, PassRequest, PassResult } from './pass.ts';
import { callerPosition, type PreparedCode, prepareCode } from './prepare-code.ts';
import type { TurnMessage } from './runner-message.ts';

/**
 * Run one pass in a runner of its own, which is killed by the time this resolves. Always resolves, except when the host throws.
 * The pass ends when the code has ended and the calls it did not wait for are answered, too.
 */
export async function executePass(runner: Runner, request: PassRequest, host: PassHost, signal?: AbortSignal): Promise<PassResult> {
  const stopped = Promise.withResolvers<PassEnd>();
  const stop = (code: PassFailure, message = MESSAGES[code] ?? 'The code was stopped') =>
    stopped.resolve({ kind: 'failed', error: { code, message } });
  const deadline = setTimeout(
    stop,
    request.limits.timeMs,
    'CODE_TIMEOUT',
    `The code ran longer than ${request.limits.timeMs / 1000} seconds`,
  );
  const cancel = () => stop('CODE_CANCELED');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  void runner.exited.then((exit) => stop(causeOf(exit)));

  const conversation = converse(runner, request, stop);
  const end = drive(conversation, request, host);
  // When the pass is stopped, what the host or the runner still does is of no interest any more.
  end.catch(() => {});
  try {
    const { log, busyMs } = conversation;
    const outcome = await Promise.race([stopped.promise, end]);
    return { ...outcome, logs: log.lines, sandboxMs: busyMs() };
  } finally {
    conversation.close();
    clearTimeout(deadline);
    signal?.removeEventListener('abort', cancel);
    runner.kill();
  }
}

type Conversation = ReturnType<typeof converse>;

/** Plays the turns of a pass: what the code asks goes to the host, what the host answers goes to the code, one at a time. */
async function drive(conversation: Conversation, request: PassRequest, host: PassHost): Promise<PassEnd> {
  const prepared = prepareCode(request.code, request.inputs === undefined ? 'svc' : 'inputs');
  const checker = turnChecker(request.surface);
  let turn = await conversation.say({ kind: 'start', code: prepared.code, ...startOf(request) });
  let end: PassEnd | undefined;
  while (true) {
    for (const event of turn.events) {
      const problem = checker.accept(event);
      if (problem) return { kind: 'failed', error: problem };
    }
    if (conversation.isClosed()) return PAUSED;
    if (turn.events.length > 0) host.onEvents(turn.events);
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

const PAUSED: PassEnd = { kind: 'paused' };
const STALLED: PassEnd = {
  kind: 'failed',
  error: { code: 'CODE_STALLED', message: 'The code waits for something that can never come: a promise that nothing settles' },
};
const RESULT_TOO_LARGE: PassEnd = {
  kind: 'failed',
  error: { code: 'CODE_RESULT_TOO_LARGE', message: `The result of a call is larger than ${CODE_RUN.resultMaxBytes} bytes` },
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
  prepared: PreparedCode,
  check: (value: string) => { code: PassFailure; message: string } | undefined,
): PassEnd {
  if (end.kind === 'failed') return end;
  if (end.kind === 'returned') {
    const problem = check(end.value);
    return problem ? { kind: 'failed', error: problem } : end;
  }
  const { code, message, line, column } = end.error;
  if (code === 'CODE_SYNTAX_ERROR' && prepared.syntaxError) {
    const { line, column } = prepared.syntaxError;
    // The parser meets the end of its function where the caller's text is unfinished.
    const said = message === "Unexpected token '}'" && isAtEnd(prepared, line, column) ? 'Unexpected end of the code' : message;
    return { kind: 'threw', error: { code, message: said, line, column } };
  }
  if (line === undefined || column === undefined || line < 1) return { kind: 'threw', error: { code, message } };
  const position = callerPosition(prepared, { line, column });
  const isImport = code === 'CODE_NOT_AVAILABLE' && message.startsWith('import()');
  return { kind: 'threw', error: { code, message, ...(isImport ? importPosition(prepared, position) : position) } };
}

function isAtEnd({ code }: PreparedCode, line: number, column: number): boolean {
  const rest = code.split('\n').slice(line - 1);
  return [rest[0]?.slice(column - 1), ...rest.slice(1)].join('').trim() === '';
}

function causeOf({ signal, stderr }: RunnerExit): PassFailure {
  if (signal === 'SIGXCPU') return 'CODE_TIMEOUT';
  // SIGKILL that is not ours is the kernel's, out of memory.
  return signal === 'SIGKILL' || /out of memory|allocation failed|cannot allocate|bad_alloc/i.test(stderr) ? 'CODE_MEMORY' : 'CODE_CRASHED';
}

import { Worker } from 'node:worker_threads';
import { FairScheduler } from '../../infra/concurrency/fair-scheduler.ts';
import { type CodePlan, unreadable } from '../plan/plan.ts';
import type { Surface } from '../plan/state.ts';
import type { Answer, Question, Report } from './code-reader-thread.ts';
import type { Literals } from './find-literals.ts';
import type { RunnableCode } from './prepare-code.ts';
import { timedOutCache } from './timed-out-cache.ts';

/** The plan of a caller's code, and the program to execute. */
export interface ReadProgram {
  plan: CodePlan;
  /** Null if the code could not be parsed within the limits. */
  runnable: RunnableCode | null;
}

/** Reads a caller's code in a thread. If that fails, the plan is `dynamic`. */
export async function readProgram(code: string, surface: Surface, tenantId = ''): Promise<ReadProgram> {
  const { answer, runnable } = await ask({ of: 'plan', code, argument: 'svc', surface }, tenantId);
  return { plan: (answer as CodePlan | undefined) ?? unreadable('the code cannot be read within the limits of time and memory'), runnable };
}

/** Reads a caller's code to execute it. Null if that failed. */
export async function readRunnable(code: string, argument: Question['argument'], tenantId = ''): Promise<RunnableCode | null> {
  const { answer } = await ask({ of: 'runnable', code, argument }, tenantId);
  return (answer as RunnableCode | undefined) ?? null;
}

/** Reads the literals of a caller's code. Null if that failed. */
export async function readLiterals(code: string, length = code.length, tenantId = ''): Promise<Literals | null> {
  const { answer } = await ask({ of: 'literals', code, argument: 'svc', length }, tenantId);
  return (answer as Literals | undefined) ?? null;
}

/** Starts the thread, and keeps it running. */
export function warmCodeReader(): void {
  isKept = true;
  thread ??= startThread();
}

/** Processor time in ms. The longest code takes 0.5 s, or 1 s in a new thread; its limit is 2 s. */
const CPU_MS = { least: 500, perKilobyte: 6 };
const MEMORY_MB = 512;
const IDLE_MS = 30_000;

interface Job {
  question: Question;
  isPrepared: boolean;
  runnable: RunnableCode | null;
  resolve(result: Result): void;
}

interface Result {
  /** Undefined when time or memory ran out, or the thread did not start. */
  answer: Answer | undefined;
  /** Null if parsing did not end in time, or if the question is not `plan`. */
  runnable: RunnableCode | null;
}

const NOTHING: Result = { answer: undefined, runnable: null };

interface Thread {
  worker: Worker;
  state: 'starting' | 'ready' | 'ending';
  job: Job | undefined;
  cpuMs: number;
  timer: NodeJS.Timeout | undefined;
}

const scheduler = new FairScheduler({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
/** Aborted when a thread cannot start, so that waiting jobs end without an answer. */
let startFailure = new AbortController();
let isKept = false;
let thread: Thread | undefined;

/** The job that the scheduler has started, until a thread takes it. */
let pending: Job | undefined;

async function ask(question: Question, tenantId: string): Promise<Result> {
  if (timedOutCache.has(question.code)) return NOTHING;
  const { signal } = startFailure;
  try {
    return await scheduler.run({ tenantId, signal }, () => read(question));
  } catch (error) {
    if (error !== signal.reason) throw error;
    return NOTHING;
  }
}

function read(question: Question): Promise<Result> {
  if (timedOutCache.has(question.code)) return Promise.resolve(NOTHING);
  return new Promise((resolve) => {
    pending = { question, isPrepared: false, runnable: null, resolve };
    thread ??= startThread();
    thread.worker.ref();
    next(thread);
  });
}

function next(to: Thread): void {
  if (to.state !== 'ready' || to.job) return;
  clearTimeout(to.timer);
  to.job = pending;
  pending = undefined;
  if (to.job) {
    watch(to, to.job, cpuLimitMs(to.job));
    to.worker.postMessage(to.job.question);
    return;
  }
  to.worker.unref();
  if (!isKept) to.timer = setTimeout(end, IDLE_MS, to).unref();
}

function cpuLimitMs({ question }: Job): number {
  return CPU_MS.least + (CPU_MS.perKilobyte * question.code.length) / 1024;
}

/** Limits processor time, because wall-clock time depends on how busy the machine is. */
function watch(to: Thread, job: Job, leftMs: number): void {
  const look = async () => {
    const used = await to.worker.cpuUsage().catch(() => undefined);
    if (!used || to.job !== job) return;
    const left = cpuLimitMs(job) + to.cpuMs - (used.user + used.system) / 1000;
    if (left > 0) return watch(to, job, left);
    remember(to);
    end(to);
  };
  to.timer = setTimeout(look, Math.max(leftMs, 10));
}

/** Remembers code that could not be parsed in time. Code that only could not be planned may run. */
function remember({ job }: Thread): void {
  if (job && !job.isPrepared) timedOutCache.add(job.question.code);
}

function end(ending: Thread): void {
  ending.state = 'ending';
  void ending.worker.terminate();
}

function finish(of: Thread, answer: Answer | undefined): void {
  clearTimeout(of.timer);
  const { job } = of;
  of.job = undefined;
  job?.resolve({ answer, runnable: job.runnable });
  next(of);
}

/** Ends the waiting jobs, because each would try to start the thread again. */
function endWaitingJobs(): void {
  startFailure.abort();
  startFailure = new AbortController();
  pending?.resolve(NOTHING);
  pending = undefined;
}

function startThread(): Thread {
  const worker = new Worker(new URL('./code-reader-thread.ts', import.meta.url), {
    ...{ env: {}, execArgv: [] },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const started: Thread = { worker, state: 'starting', job: undefined, cpuMs: 0, timer: undefined };
  worker.on('message', (report: Report) => {
    if (report.kind === 'prepared') {
      if (started.job) Object.assign(started.job, { isPrepared: true, runnable: report.runnable });
      return;
    }
    started.cpuMs = report.cpuMs;
    if (report.kind === 'ready') started.state = 'ready';
    if (report.broken) end(started);
    finish(started, report.answer);
  });
  // Most likely the thread is out of memory. The event `exit` follows.
  worker.on('error', () => remember(started));
  worker.on('exit', () => {
    thread = undefined;
    if (started.state === 'starting') endWaitingJobs();
    else if (pending) {
      thread = startThread();
      thread.worker.ref();
    }
    started.state = 'ending';
    finish(started, undefined);
  });
  worker.unref();
  return started;
}

import { Worker } from 'node:worker_threads';
import type { Answer, Question, Report } from './code-reader-thread.ts';
import type { Literals } from './find-literals.ts';
import { givenUp } from './given-up.ts';
import { openPartyQueue } from './party-queue.ts';
import { type CodePlan, unreadable } from './plan.ts';
import type { Surface } from './plan-state.ts';
import type { RunnableCode } from './prepare-code.ts';

/**
 * The plan of a caller's code (`planCode`), read in a thread: what was written to keep a parser busy keeps nobody else waiting, and is
 * `dynamic` when its time or memory is up. Parties have their codes read in turns.
 */
export async function readPlan(code: string, surface: Surface, party = ''): Promise<CodePlan> {
  const plan = await ask({ of: 'plan', code, argument: 'svc', surface }, party);
  return (plan as CodePlan | undefined) ?? unreadable('the code takes too long to be read');
}

/** What of a caller's code is run (`prepareCode`), read in a thread; null when its time or memory is up. */
export async function readRunnable(code: string, argument: Question['argument'], party = ''): Promise<RunnableCode | null> {
  return ((await ask({ of: 'runnable', code, argument }, party)) as RunnableCode | undefined) ?? null;
}

/** The literals of a caller's code (`findLiterals`), read in a thread; null when its time or memory is up. */
export async function readLiterals(code: string, length = code.length, party = ''): Promise<Literals | null> {
  return ((await ask({ of: 'literals', code, argument: 'svc', length }, party)) as Literals | undefined) ?? null;
}

/** Starts the thread ahead of the first code that is to be read, and keeps it. */
export function warmCodeReader(): void {
  isKept = true;
  thread ??= startThread();
}

/** The longest code takes half a second of a processor, a whole one in a new thread; its time is twice that, and what is short has less of it. */
const CPU_MS = { least: 500, perKilobyte: 6 };
const MEMORY_MB = 512;
/** One that nobody keeps ends when it had nothing to read for so long. */
const IDLE_MS = 30_000;

interface Job {
  question: Question;
  isPrepared: boolean;
  answer(answer: Answer | undefined): void;
}

interface Thread {
  worker: Worker;
  state: 'starting' | 'ready' | 'ending';
  job: Job | undefined;
  /** Of a processor, by the last report. */
  cpuMs: number;
  timer: NodeJS.Timeout | undefined;
}

const waiting = openPartyQueue<Job>();
let isKept = false;
let thread: Thread | undefined;

function ask(question: Question, party: string): Promise<Answer | undefined> {
  if (givenUp.has(question.code)) return Promise.resolve(undefined);
  return new Promise((answer) => {
    waiting.push(party, { question, isPrepared: false, answer });
    thread ??= startThread();
    thread.worker.ref();
    next(thread);
  });
}

function next(to: Thread): void {
  if (to.state !== 'ready' || to.job) return;
  clearTimeout(to.timer);
  to.job = nextJob();
  if (to.job) {
    watch(to, to.job, cpuLimitMs(to.job));
    to.worker.postMessage(to.job.question);
    return;
  }
  to.worker.unref();
  if (!isKept) to.timer = setTimeout(end, IDLE_MS, to).unref();
}

/** Those that have been given up since they were asked for are answered. */
function nextJob(): Job | undefined {
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    if (!givenUp.has(job.question.code)) return job;
    job.answer(undefined);
  }
  return undefined;
}

function cpuLimitMs({ question }: Job): number {
  return CPU_MS.least + (CPU_MS.perKilobyte * question.code.length) / 1024;
}

/** Ends a thread whose job has used up its time: that of a processor, since a busy machine says nothing about the code. */
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

/** What cannot even be prepared is not read again for a while; what takes long to be planned may run. */
function remember({ job }: Thread): void {
  if (job && !job.isPrepared) givenUp.add(job.question.code);
}

function end(ending: Thread): void {
  ending.state = 'ending';
  void ending.worker.terminate();
}

function finish(of: Thread, answer: Answer | undefined): void {
  clearTimeout(of.timer);
  const { job } = of;
  of.job = undefined;
  job?.answer(answer);
  next(of);
}

function startThread(): Thread {
  const worker = new Worker(new URL('./code-reader-thread.ts', import.meta.url), {
    ...{ env: {}, execArgv: [] },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const started: Thread = { worker, state: 'starting', job: undefined, cpuMs: 0, timer: undefined };
  worker.on('message', (report: Report) => {
    if (report.kind === 'prepared') {
      if (started.job) started.job.isPrepared = true;
      return;
    }
    started.cpuMs = report.cpuMs;
    if (report.kind === 'ready') started.state = 'ready';
    if (report.broken) end(started);
    finish(started, report.answer);
  });
  // Out of memory; `exit` follows.
  worker.on('error', () => remember(started));
  worker.on('exit', () => {
    thread = undefined;
    // One that could not even start is not started again for those who wait.
    if (started.state === 'starting') for (let job = waiting.shift(); job; job = waiting.shift()) job.answer(undefined);
    else if (waiting.size() > 0) {
      thread = startThread();
      thread.worker.ref();
    }
    started.state = 'ending';
    finish(started, undefined);
  });
  worker.unref();
  return started;
}

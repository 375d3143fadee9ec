import { gunzipSync } from 'node:zlib';
import { describePoint, FREE, type Passage, type Point, type Side, TARGETS, type Verdict, type Wire } from './fault-injector.ts';
import type { Statement } from './postgres-wire.ts';

/**
 * The parts that a fault can kill during a code run. `runner` means all runner processes together.
 */
export const RUN_TARGETS = [...TARGETS, 'runner'] as const;
export type RunTarget = (typeof RUN_TARGETS)[number];

type Sender = 'api' | 'worker';

/**
 * A point at which a fault can interrupt a run: before or after a write to its journal, a call of
 * Temporal or a request to the third party. `nth` counts the run's messages of this process with
 * this label.
 */
export interface Boundary extends Point {
  process: Sender;
}

/** `inject` returns false if the kill was refused. */
export interface Injection {
  boundary: Boundary;
  target: RunTarget;
  inject(): Promise<boolean>;
}

/** Counts the boundaries of the followed runs, and injects faults at them. */
export interface RunWatch {
  statement(process: Sender, statement: Statement): Passage;
  temporalCall(process: Sender, method: string, request: Buffer): Passage;
  effect(name: string, method: string): Passage;
  /** Follows the run whose code contains this name. */
  follow(name: string, injection?: Injection): void;
  /** Stops following. Returns the boundaries that the run has reached. */
  leave(name: string): Boundary[];
}

/** Describes a boundary in one line, for reports. */
export function describeBoundary({ process, ...point }: Boundary): string {
  return `${process}, ${describePoint(point)}`;
}

/** A new name for a run, in a format that `NAME` recognizes in any message. */
export function newRunName(): string {
  return `cz${crypto.randomUUID().replaceAll('-', '')}`;
}

const NAME = /cz[0-9a-f]{32}/;
const RUN_ID = /crun_[0-9A-Za-z]{22}/g;
const APPROVAL_ID = /apr_[0-9A-Za-z]{22}/g;
/** Decisions are left out: steps.ts covers them. */
const JOURNAL = /\b(insert into|update|delete from)\s+"?(code_runs|calls|code_run_timers)\b|\binsert into "?approvals\b/i;
const WORKFLOW_OF_APPROVAL = /\bapproval\/apr_/;

interface Followed {
  passed: Boundary[];
  counts: Map<string, number>;
  ids: string[];
  injection: Injection | undefined;
}

/** Creates a watch that follows no run yet. */
export function openRunWatch(): RunWatch {
  const runs = new Map<string, Followed>();
  const nameOfId = new Map<string, string>();
  const transactions = new WeakMap<object, { name?: string; hasWritten: boolean }>();

  const nameIn = (text: string): string | undefined => {
    for (const id of [...(text.match(RUN_ID) ?? []), ...(text.match(APPROVAL_ID) ?? [])]) {
      const name = nameOfId.get(id);
      if (name) return name;
    }
    return undefined;
  };
  const nameOfRun = (text: string) => (WORKFLOW_OF_APPROVAL.test(text) ? undefined : nameIn(text));
  const learn = (name: string, ids: string[] | null) => {
    for (const id of ids ?? []) {
      nameOfId.set(id, name);
      runs.get(name)?.ids.push(id);
    }
  };

  const passageOf = (name: string | undefined, process: Sender, wire: Wire, label: string): Passage => {
    const run = name === undefined ? undefined : runs.get(name);
    if (!run) return FREE;
    const kind = `${process} ${wire} ${label}`;
    const nth = (run.counts.get(kind) ?? 0) + 1;
    run.counts.set(kind, nth);
    const at = (side: Side) => async (): Promise<Verdict> => {
      const boundary = { process, wire, label, nth, side };
      run.passed.push(boundary);
      const { injection } = run;
      if (!injection || describeBoundary(injection.boundary) !== describeBoundary(boundary)) return 'forward';
      run.injection = undefined;
      if (!(await injection.inject())) return 'forward';
      return injection.target === process || injection.target === wire ? 'drop' : 'forward';
    };
    return { before: at('before'), after: at('after') };
  };

  return {
    statement(process, { label, sql, bytes, session }) {
      if (/^begin\b/i.test(label)) transactions.set(session, { hasWritten: false });
      const transaction = transactions.get(session);
      const text = bytes.toString('latin1');
      const isWrite = JOURNAL.test(sql);
      if (isWrite && /insert into "?code_runs/i.test(sql)) {
        const name = NAME.exec(text)?.[0];
        if (name) learn(name, text.match(RUN_ID));
      }
      const name = nameIn(text) ?? transaction?.name;
      if (isWrite && name && /insert into "?approvals/i.test(sql)) learn(name, text.match(APPROVAL_ID));
      if (transaction) {
        if (name) transaction.name = name;
        transaction.hasWritten ||= isWrite;
      }
      const isEnd = /^(commit|rollback)\b/i.test(label);
      if (isEnd) transactions.delete(session);
      const isBoundary = isWrite || (/^commit\b/i.test(label) && transaction?.hasWritten);
      return isBoundary ? passageOf(name, process, 'postgres', label) : FREE;
    },

    temporalCall(process, method, request) {
      if (/^Poll(Workflow|Activity)TaskQueue$/.test(method)) {
        const taken = (answer?: Buffer) => passageOf(answer && nameOfRun(textOf(answer)), process, 'temporal', method);
        return { before: FREE.before, after: (answer) => taken(answer).after() };
      }
      if (/^(Poll|Describe|Record|GetSystemInfo)/.test(method)) return FREE;
      return passageOf(nameOfRun(textOf(request)), process, 'temporal', method);
    },

    effect: (name, method) => passageOf(name, 'worker', 'effect', method),

    follow: (name, injection) => {
      runs.set(name, { passed: [], counts: new Map(), ids: [], injection });
    },
    leave: (name) => {
      const run = runs.get(name);
      runs.delete(name);
      for (const id of run?.ids ?? []) nameOfId.delete(id);
      return run?.passed ?? [];
    },
  };
}

/** A gRPC frame can be compressed. */
function textOf(frame: Buffer): string {
  const body = frame.subarray(5);
  return (frame[0] === 1 ? gunzipSync(body) : body).toString('latin1');
}

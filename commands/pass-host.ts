import pLimit from 'p-limit';
import type { RecordedTimer } from '../domain/code-run.ts';
import { CODE_RUN } from '../domain/limits.ts';
import { isDuplicate } from '../infra/database.ts';
import type { PassHost, SandboxEvent } from '../sandbox/pass.ts';
import type { Journal } from '../store/journal.ts';
import { listOutcomes } from '../store/journal-outcomes.ts';
import { finishTimer, insertTimers, type NewTimer } from '../store/journal-timers.ts';
import { openCompletions } from './completions.ts';
import type { Gateway } from './gateway.ts';
import { hashJson } from './hash-call.ts';
import { onceThere } from './once-there.ts';
import { type CallEvent, openPassCalls } from './pass-calls.ts';
import { openPassTimers } from './pass-timers.ts';
import { openPastEvents } from './past-events.ts';
import { replayOf, toCompletion } from './replay.ts';
import type { Pass } from './run-pass.ts';

/** What a pass asks for is answered here. */
export interface OpenPass extends PassHost {
  /** Throws RunFailure where the code came to a stand without having done again what is recorded. */
  assertRepeated(): void;
  /** The run ends: says of calls that a pass before had begun, and that nobody makes now, that their outcome is unknown. */
  giveUpRest(): Promise<void>;
  /** Starts no call and no timer any more, and resolves when what is under way is written down. */
  callsEnded(): Promise<void>;
  /** Starts no call and no timer any more. Calls that are under way are written down when they end. */
  close(): void;
}

/** Answers what the code of a pass asks for: from the journal what an earlier pass recorded, and else by doing it and writing it down. */
export function openPassHost(gateway: Gateway, pass: Pass, journal: Journal): OpenPass {
  const { db } = gateway;
  const fence = { codeRunId: pass.run.id, passNumber: pass.passNumber };
  const readOutcomes = (callIds: readonly string[]) => onceThere(pass.signal, () => listOutcomes(db, callIds));
  const past = openPastEvents(journal, pass.run.replayVersion, pass.surface);
  const completions = openCompletions(replayOf(journal, readOutcomes));
  const inFlight = pLimit(CODE_RUN.maxCallsInFlight);
  const passStartedAt = performance.now();
  const runningMs = () => pass.run.runningMs + performance.now() - passStartedAt;
  const calls = openPassCalls(gateway, pass, journal, { completions, runningMs });
  const timers = openPassTimers(runningMs);
  let isClosed = false;

  const onEvents = (events: SandboxEvent[]) => {
    // All of them are held against the record before any of them takes effect.
    const begin = events.filter(({ kind }) => kind === 'call').map((event) => readCall(event as CallEvent));
    const started = events.filter(({ kind }) => kind === 'timer').map((event) => readTimer(event as TimerEvent));
    for (const one of begin) one();
    startTimers(started);
  };

  const readCall = (event: CallEvent): (() => void) => {
    const input: unknown = JSON.parse(event.input);
    const requestHash = hashJson([event.alias, event.action, input]);
    const recorded = past.call(event, requestHash);
    completions.issued(event.number);
    if (recorded && recorded.outcomeBytes !== null) return () => {};
    const make = async () => {
      if (!isClosed && !completions.hasFailed()) await calls.make({ event, input, requestHash, recorded });
    };
    return () => completions.follow(inFlight(make), { pauses: true });
  };

  const readTimer = (event: TimerEvent): { recorded: RecordedTimer | undefined; timer: NewTimer } => {
    const recorded = past.timer(event);
    completions.issued(event.number);
    const dueAt = recorded?.dueAt ?? new Date(Date.now() + event.delayMs);
    const dueMs = recorded?.dueMs ?? runningMs() + dueAt.getTime() - Date.now();
    return { recorded, timer: { number: event.number, delayMs: event.delayMs, dueAt, dueMs } };
  };

  const startTimers = (all: ReturnType<typeof readTimer>[]): void => {
    const started = all.filter(({ recorded }) => !recorded?.completedAt);
    const unwritten = started.filter(({ recorded }) => !recorded).map(({ timer }) => timer);
    const inserted = unwritten.length > 0 ? onceThere(pass.signal, (again) => insert(unwritten, again)) : Promise.resolve();
    completions.follow(inserted, { pauses: false });
    for (const { timer } of started) {
      const complete = () =>
        completions.complete(async (completionNumber, completedAt) => {
          await inserted;
          // However long the database is away: what it won, it is to win in the next pass, too.
          await onceThere(pass.signal, () => finishTimer(db, fence, { number: timer.number, completionNumber, completedAt }));
          return toCompletion(timer.number, completedAt);
        });
      completions.follow(timers.until(timer.dueMs).then(complete), { pauses: false });
    }
  };

  const insert = (timers: NewTimer[], again: boolean) =>
    insertTimers(db, fence, timers).catch((error) => {
      if (!again || !isDuplicate(error)) throw error; // they were written, and the answer lost
    });

  const close = () => {
    isClosed = true;
    timers.close();
  };

  return {
    onLogs: pass.onLogs,
    onEvents,
    nextCompletion: completions.next,
    assertRepeated: past.assertRepeated,
    giveUpRest: calls.giveUpRest,
    callsEnded: async () => {
      close();
      await completions.callsEnded();
    },
    close,
  };
}

type TimerEvent = Extract<SandboxEvent, { kind: 'timer' }>;

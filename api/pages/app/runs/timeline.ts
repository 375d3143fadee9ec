import type { CallPreview } from '../../../../commands/reviews/preview-run-calls.ts';
import type { CodeRunHistory } from '../../../../commands/reviews/read-code-run-history.ts';
import type { Approval } from '../../../../domain/approval.ts';
import { isFinished } from '../../../../domain/code-run.ts';
import { describeCallOfRun } from '../../code-run/describe-run.ts';
import { countWords } from '../../code-run/present-run.ts';
import { showSeconds } from '../../code-run/show-seconds.ts';
import { showDuration } from '../../layout/show-time.ts';
import { type Lane, type Stretch, type WaterfallSpec, waterfall } from '../pictures/waterfall.ts';

type Stretched = Pick<Stretch, 'from' | 'to'>;

/** Times are in ms since 1970. */
interface CallTimes {
  call: CallPreview;
  wait: Stretched | undefined;
  work: Stretched | undefined;
}

/** The timeline of a run. Open calls and waits are drawn to the end of the run, or to `now`. */
export function timelineOf(history: CodeRunHistory, shown: readonly CallPreview[], now: Date): ReturnType<typeof waterfall> {
  const { run, calls, approvals } = history;
  const end = (run.finishedAt ?? now).getTime();
  const times = calls.map((call) => timesOf(call, approvals, end));
  const planned = planWait(history, end);
  const waits = [...(planned ? [planned] : []), ...times.flatMap(({ wait }) => wait ?? [])];
  const works = times.flatMap(({ work }) => work ?? []);
  const whole = [...waits, ...works];
  const isShown = new Set(shown);
  const lanes = times.filter(({ call }) => isShown.has(call)).map((one) => laneOf(one, run.status));
  return waterfall({
    name: nameOf(history, merged(waits)),
    lanes: planned ? [planLane(planned), ...lanes] : lanes,
    ticks: ticksOf(history, times),
    idle: without(merged(waits), merged(works)),
    from: Math.min(run.createdAt.getTime(), ...whole.map(({ from }) => from)),
    to: Math.max(end, ...whole.map(({ to }) => to)),
    table: tableOf(
      times.filter(({ call }) => isShown.has(call)),
      history,
      planned,
    ),
  });
}

const NOT_MADE: readonly CallPreview['status'][] = ['gated', 'blocked'];

function timesOf(call: CallPreview, approvals: readonly Approval[], end: number): CallTimes {
  const asked = approvals.filter(({ callNumber }) => callNumber === call.number - 1);
  const startedAt = call.startedAt.getTime();
  const isMade = !NOT_MADE.includes(call.status);
  const decided = asked.map(({ decidedAt }) => decidedAt?.getTime() ?? end);
  const wait = asked.length === 0 ? undefined : stretch(Math.min(...asked.map(createdAt)), isMade ? startedAt : Math.max(...decided));
  return {
    call,
    wait,
    work: isMade ? stretch(startedAt, call.status === 'executing' ? end : startedAt + (call.durationMs ?? 0)) : undefined,
  };
}

function planWait({ run, approvals }: CodeRunHistory, end: number): Stretched | undefined {
  const asked = approvals.filter(({ callNumber }) => callNumber === null);
  if (asked.length === 0) return undefined;
  const decided = asked.map(({ decidedAt }) => decidedAt?.getTime() ?? end);
  return stretch(Math.min(...asked.map(createdAt)), run.clockStartedAt?.getTime() ?? Math.max(...decided));
}

function createdAt(approval: Approval): number {
  return approval.createdAt.getTime();
}

function stretch(from: number, to: number): Stretched {
  return { from, to: Math.max(from, to) };
}

const KINDS: Partial<Record<CallPreview['status'], Stretch['kind']>> = { succeeded: 'good', failed: 'bad' };

function laneOf({ call, wait, work }: CallTimes, status: CodeRunHistory['run']['status']): Lane {
  const { words } = describeCallOfRun(call, isFinished(status));
  const took = call.durationMs === null ? [] : [showSeconds(call.durationMs)];
  return {
    label: labelOf(call),
    note: [...(wait ? [`waited ${lengthOf(wait)}`] : []), ...took, ...(call.status === 'succeeded' ? [] : [words])].join(', '),
    stretches: [
      ...(wait ? [{ ...wait, kind: 'wait' as const }] : []),
      ...(work ? [{ ...work, kind: KINDS[call.status] ?? ('open' as const) }] : []),
    ],
  };
}

const PLAN_LABEL = 'The program';

function planLane(wait: Stretched): Lane {
  return { label: PLAN_LABEL, note: `waited ${lengthOf(wait)}`, stretches: [{ ...wait, kind: 'wait' }] };
}

/** The first start, and the starts after waits of approved calls. */
function ticksOf({ run }: CodeRunHistory, times: readonly CallTimes[]): WaterfallSpec['ticks'] {
  if (!run.clockStartedAt) return [];
  const resumed = times.filter(({ wait, work }) => wait && work).map(({ wait }) => wait!);
  const starts = merged(resumed).map((one) => Math.min(...resumed.filter(({ to }) => to > one.from && to <= one.to).map(({ to }) => to)));
  return [run.clockStartedAt.getTime(), ...starts].slice(0, passesOf({ run })).map((at, index) => ({ at, label: `pass ${index + 1}` }));
}

/**
 * The number of passes. Cancellation also increments `passNumber`, so that the last pass can store
 * nothing more.
 */
function passesOf({ run }: Pick<CodeRunHistory, 'run'>): number {
  return run.passNumber - (run.status === 'canceled' ? 1 : 0);
}

function nameOf(history: CodeRunHistory, waits: readonly Stretched[]): string {
  const passes = passesOf(history);
  const waited = waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const ran = `Ran ${showSeconds(history.run.runningMs)} in ${passes === 1 ? 'one pass' : `${passes} passes`}`;
  return `Timeline. ${countWords(history)}. ${ran}${waited > 0 ? `, waited ${showLength(waited)} for people` : ''}.`;
}

function tableOf(times: readonly CallTimes[], { run, calls }: CodeRunHistory, planned: Stretched | undefined): WaterfallSpec['table'] {
  const rows = times.map(({ call, wait }) => [
    labelOf(call),
    call.startedMs === null ? '–' : showSeconds(call.startedMs),
    wait ? lengthOf(wait) : '–',
    call.durationMs === null ? '–' : showSeconds(call.durationMs),
    describeCallOfRun(call, isFinished(run.status)).words,
  ]);
  return {
    summary: 'Timeline, as a table',
    columns: ['Call', 'Began after', 'Waited', 'Took', 'Outcome'],
    rows: planned ? [[PLAN_LABEL, '–', lengthOf(planned), '–', '–'], ...rows] : rows,
    rest: times.length < calls.length ? `${times.length} of ${calls.length} calls: those of this page.` : undefined,
  };
}

function labelOf({ number, integrationAlias, integrationName, actionName }: CallPreview): string {
  return `${number} ${integrationAlias ?? integrationName}.${actionName}`;
}

function lengthOf({ from, to }: Stretched): string {
  return showLength(to - from);
}

const HOUR_MS = 3_600_000;

function showLength(milliseconds: number): string {
  return milliseconds < HOUR_MS ? showSeconds(milliseconds) : showDuration(milliseconds);
}

function merged(stretches: readonly Stretched[]): Stretched[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

function without(stretches: readonly Stretched[], others: readonly Stretched[]): Stretched[] {
  return others.reduce<Stretched[]>(
    (left, other) =>
      left.flatMap(({ from, to }) => [
        ...(from < Math.min(to, other.from) ? [{ from, to: Math.min(to, other.from) }] : []),
        ...(Math.max(from, other.to) < to ? [{ from: Math.max(from, other.to), to }] : []),
      ]),
    [...stretches],
  );
}

import { setTimeout as delay } from 'node:timers/promises';
import type { CodeRunResult } from '../../domain/code-run.ts';
import { decodePayload } from '../../store/payload.ts';
import { type RunCase, runsOf } from './run-caller.ts';
import type { RunScene } from './run-scene.ts';

/** The records that a run left. */
export interface RunRecord {
  id: string;
  status: string;
  output: unknown;
  error: { code: string; message: string } | null;
  logs: string[];
  /** Alias and status of every call, sorted. */
  calls: string[];
  /** The names of the successful reads, in the order of their answers in the journal. */
  answered: string[];
  /** Status of every approval, sorted. */
  approvals: string[];
  /** Null if the start of the workflow was recorded. */
  workflowDueAt: Date | null;
  /** For each consumed approval, how many consumptions the activity log records. */
  consumed: number[];
}

/** Ids differ from run to run. */
const strip = (text: string) => text.replace(/\b(apr|crun)_[0-9A-Za-z]{22}/g, '$1_…').replace(/cz[0-9a-f]{32}/g, 'cz…');

/** Reads the records of a run. */
export async function readRun({ system: { db } }: RunScene, id: string): Promise<RunRecord> {
  const [run, calls, approvals, consumed] = await Promise.all([
    db('code_runs').where({ id }).first('status', 'result', 'workflow_due_at'),
    db('calls').where({ code_run_id: id }).orderBy('completion_number').select('integration_alias', 'status', 'input_preview'),
    db('approvals').where({ code_run_id: id }).pluck('status'),
    db('activity')
      .where({ type: 'approval.consumed' })
      .whereIn('approval_id', db('approvals').where({ code_run_id: id }).select('id'))
      .groupBy('approval_id')
      .count({ times: '*' }),
  ]);
  const { output = null, error = null, logs = [] } = run.result ? decodePayload<CodeRunResult>(run.result) : {};
  return {
    id,
    status: run.status,
    workflowDueAt: run.workflow_due_at,
    output,
    error: error && { code: error.code, message: strip(error.message) },
    logs: logs.map(({ level, message }) => strip(`${level} ${message}`)),
    answered: calls.flatMap(({ status, input_preview }) => (status === 'succeeded' ? readName(decodePayload(input_preview)) : [])),
    calls: calls.map(({ integration_alias, status }) => `${integration_alias} ${status}`).sort(),
    approvals: approvals.sort(),
    consumed: consumed.map(({ times }) => Number(times)),
  };
}

/** Returns a list with the name of a read, empty for other calls. */
function readName({ method, url }: { method: string; url: string }): string[] {
  return method === 'GET' ? [/[\w-]+(?=\?|$)/.exec(url)?.[0] ?? url] : [];
}

/** Time for the recovery to solve a problem, such as a workflow whose worker was killed. */
const LOOKED_AFTER_WITHIN_MS = 120_000;
/** Some records are written right after the caller's answer. */
const SETTLES_WITHIN_MS = 3000;

/**
 * Returns the problems of a run that has ended, compared with an undisturbed run. Checks again
 * while the recovery can still solve a problem.
 */
export async function judgeRun(scene: RunScene, one: RunCase, undisturbed?: RunRecord): Promise<string[]> {
  const from = Date.now();
  for (;;) {
    const problems = await problemsOf(scene, one, undisturbed).catch((error) => [`not checked: ${error}`]);
    const mayChange = problems.some((problem) => /^(workflow|not checked|there are|calls are left open)/.test(problem));
    if (problems.length === 0 || Date.now() > from + (mayChange ? LOOKED_AFTER_WITHIN_MS : SETTLES_WITHIN_MS)) return problems;
    await delay(300);
  }
}

async function problemsOf(scene: RunScene, one: RunCase, undisturbed?: RunRecord): Promise<string[]> {
  const runs = await runsOf(scene, one);
  const [first] = runs;
  if (!first || runs.length > 1) return [`there are ${runs.length} runs: ${runs.map(({ id, status }) => `${id} ${status}`)}`];
  one.codeRunId = first.id;
  const run = await readRun(scene, first.id);
  const workflow = await scene.workflows.statusOf(first.id, 'code-run');
  return [
    ...same('workflow', workflow, 'COMPLETED'),
    ...same('workflow to start', run.workflowDueAt, null),
    ...same(
      'approvals used up',
      run.consumed,
      run.consumed.map(() => 1),
    ),
    ...(run.error?.code === 'CODE_CALL_OUTCOME_UNKNOWN'
      ? problemsOfUnknown(scene, one, run)
      : problemsOfWhole(scene, one, run, undisturbed)),
    ...problemsOfAnswer(one, run),
  ];
}

/** The output and calls of a program with random effects vary. */
function problemsOfWhole({ world }: RunScene, { name, program }: RunCase, run: RunRecord, undisturbed?: RunRecord): string[] {
  const output = run.output as { made?: string[]; [check: string]: unknown } | null;
  const byChance = program.effects === 'made';
  const expected = program.effects === 'made' ? (output?.made ?? []) : program.effects;
  const effects = Object.entries(world.done(name)).flatMap(([what, times]) => Array.from({ length: times }, () => what));
  return [
    ...same('effects', effects.sort(), [...expected].sort()),
    ...(undisturbed ? same('status', run.status, undisturbed.status) : []),
    ...(undisturbed ? same('error', run.error, undisturbed.error) : []),
    ...(undisturbed ? same('logs', run.logs, undisturbed.logs) : []),
    ...(undisturbed ? same('approvals', run.approvals, undisturbed.approvals) : []),
    ...(undisturbed && !byChance && !program.listsAnswers ? same('output', run.output, undisturbed.output) : []),
    ...(program.listsAnswers ? problemsOfOrder(run, undisturbed) : []),
    ...(undisturbed && !byChance ? same('calls', run.calls, undisturbed.calls) : []),
    ...(byChance && output && Object.values(output).includes(false)
      ? [`random values differ between passes: ${JSON.stringify(output)}`]
      : []),
    ...(byChance && run.calls.length < expected.length ? [`calls: ${run.calls}`] : []),
  ];
}

function problemsOfOrder(run: RunRecord, undisturbed?: RunRecord): string[] {
  const sorted = ({ output }: RunRecord) => (Array.isArray(output) ? output.toSorted() : output);
  return [
    ...same('output, against the journal', run.output, run.answered),
    ...(undisturbed ? same('output in any order', sorted(run), sorted(undisturbed)) : []),
  ];
}

function problemsOfUnknown({ world, kills }: RunScene, { name, startedAt }: RunCase, run: RunRecord): string[] {
  const twice = Object.entries(world.done(name)).filter(([, times]) => times > 1);
  const succeeded = run.calls.filter((call) => call.endsWith('succeeded') || call.endsWith('failed'));
  const couldBeLost = kills.some(({ target, at }) => at >= startedAt && (target === 'worker' || target === 'postgres'));
  return [
    ...twice.map(([what, times]) => `${what} took effect ${times} times`),
    ...(run.calls.some((call) => call.endsWith('unknown')) ? [] : [`no call is unknown: ${run.calls}`]),
    ...(run.calls.some((call) => call.endsWith('executing')) ? [`calls are left open: ${run.calls}`] : []),
    ...(run.approvals.includes('pending') ? ['an approval is still pending'] : []),
    ...(/\w+\.\w+ \(call \d+ of the run\)/.test(run.error!.message) ? [] : [`the error does not name the call: ${run.error!.message}`]),
    ...(couldBeLost ? [] : [`a call is unknown, but no kill could have lost a call; ${succeeded.length} calls are known`]),
  ];
}

function problemsOfAnswer({ heard }: RunCase, run: RunRecord): string[] {
  if (!heard) return [];
  const { status, output = null, error, timings } = heard.structuredContent;
  const said = { executed: 'executed', failed: 'failed', approval_rejected: 'rejected', approval_canceled: 'canceled' }[status as string];
  return [
    ...same('status as heard', said ?? status, run.status),
    ...same('output as heard', output, run.output),
    ...same('error as heard', error ? error.code : null, run.error?.code ?? null),
    ...same('steps as heard', timings?.steps?.length, run.calls.filter((call) => / (succeeded|failed)$/.test(call)).length),
  ];
}

function same(what: string, is: unknown, should: unknown): string[] {
  const [one, other] = [JSON.stringify(is), JSON.stringify(should)];
  return one === other ? [] : [`${what}: ${cut(one)}, not ${cut(other)}`];
}

function cut(text = 'undefined'): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

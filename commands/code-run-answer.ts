import type { Approval } from '../domain/approval.ts';
import { type CodeRun, isFinished, isResultKept } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { tellApprovals } from '../store/approvals.ts';
import { listRunSteps, type RunStep } from '../store/journal.ts';
import type { Gateway } from './gateway.ts';
import { goOn, isDecided, readRun } from './run-progress.ts';
import { listStandingApprovals } from './standing-approvals.ts';
import { stoppedRun } from './stopped-run.ts';

/** What a run waits for. */
export interface CodeRunGate {
  /** `pending` when a continuation came too early; `required` when the caller has not heard of these before. */
  kind: 'required' | 'pending';
  /** All that must be approved before it goes on, what is approved already last; the first one is the next to be decided. */
  approvals: [Approval, ...Approval[]];
}

/** Where a run stands, for its caller. */
export interface CodeRunAnswer {
  run: CodeRun;
  gate: CodeRunGate | null;
  /** The calls that it made; none while it waits. */
  steps: RunStep[];
}

/** Where a run stands that has just moved (as it was read then, or by its id). People may decide before the caller has even heard of the gate: then the run goes on at once. */
export async function answerWhenSettled(
  gateway: Gateway,
  moved: CodeRun | string,
  passBefore: number,
  askedFor?: string,
): Promise<CodeRunAnswer> {
  let run = typeof moved === 'string' ? await readRun(gateway, moved) : moved;
  for (let lastPass = -1; ; run = await readRun(gateway, run.id)) {
    const stands = isFinished(run.status) || run.passNumber === lastPass || !(await isDecided(gateway, run.id, 0));
    if (stands) return answerNow(gateway, run, askedFor, passBefore);
    lastPass = run.passNumber;
    await goOn(gateway, run.id);
  }
}

/** Where a run stands now. A gate that the run has met since `passBefore`, or that no answer has named yet, is new to the caller; another one is still pending. */
export async function answerNow(gateway: Gateway, run: CodeRun, askedFor: string | undefined, passBefore: number): Promise<CodeRunAnswer> {
  if (isFinished(run.status)) {
    assertKept(gateway, run);
    return { run: await stoppedRun(gateway, run), gate: null, steps: await listRunSteps(gateway.db, run.id) };
  }
  const approvals = await listStandingApprovals(gateway, run.id);
  if (approvals.length === 0) throw new GatewayError('UNAVAILABLE', 'The run is still under way.', { codeRunId: run.id });
  const pending = approvals.filter((approval) => approval.status === 'pending');
  pending.sort((a, b) => Number(b.id === askedFor) - Number(a.id === askedFor));
  const isUntold = await tellApprovals(
    gateway.db,
    pending.map(({ id }) => id),
  );
  const [next = approvals[0]!, ...others] = pending;
  const isNew = askedFor === undefined || run.passNumber > passBefore || (isUntold && next.id !== askedFor);
  const approved = approvals.filter((approval) => approval.status === 'approved' && approval !== next && isAtSameGate(approval, next));
  return { run, gate: { kind: isNew ? 'required' : 'pending', approvals: [next, ...others, ...approved] }, steps: [] };
}

/** Those of the plan are asked for together, and so are those of calls that the run has met since. */
function isAtSameGate(one: Approval, other: Approval): boolean {
  return (one.callNumber === null) === (other.callNumber === null);
}

function assertKept(gateway: Gateway, run: CodeRun): void {
  const hours = gateway.config.code.retentionHours;
  if (!isResultKept(run, hours)) {
    throw new GatewayError('CODE_RUN_RESULT_EXPIRED', `The result of this run was kept for ${hours} hours, and that time is over.`);
  }
}

import type { Approval } from '../domain/approval.ts';
import { type CodeRun, isFinished, isResultKept } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { hasUntoldApproval, tellApprovals } from '../store/approvals.ts';
import { awaitCodeRun, findTwinApprovalId } from '../store/code-runs.ts';
import { findRunProgress, listRunSteps, type RunProgress, type RunStep } from '../store/journal.ts';
import type { Gateway } from './gateway.ts';
import { goOn, isDecided, nextMove, readRun } from './run-progress.ts';
import { listStandingApprovals } from './standing-approvals.ts';
import { stoppedRun } from './stopped-run.ts';

/** What a run waits for. */
export interface CodeRunGate {
  /** `pending` when a continuation came too early; `required` when the caller has not heard of these before. */
  kind: 'required' | 'pending';
  /** All that must be approved before it goes on, what is approved already last; the first one is the next to be decided. */
  approvals: [Approval, ...Approval[]];
  /** Those that were given for the run before, and are used. */
  used: Approval[];
  /** What it has done by then; undefined where its code has not begun. */
  progress: RunProgress | undefined;
  /** What the same code waits for that its caller had sent before; looked for where it was just sent again. */
  twinApprovalId: string | undefined;
}

/** Where a run stands, for its caller. */
export interface CodeRunAnswer {
  run: CodeRun;
  gate: CodeRunGate | null;
  /** The calls that it made; none while it waits. */
  steps: RunStep[];
}

/** Where a run stands, as it was just read, when people have said what it waits for, or when the time is over: a run that may go on has gone on then. */
export async function answerWhenDecided(gateway: Gateway, before: CodeRun, waitSeconds: number, askedFor?: string): Promise<CodeRunAnswer> {
  const { id, passNumber } = before;
  if (waitSeconds > 0) await awaitCodeRun(gateway.db, id, waitSeconds);
  const isDecidedAlready = await isDecided(gateway, id, 0);
  if (!isDecidedAlready) {
    // The answer that was to name it was lost: nobody would decide what the caller does not know of.
    const isNews = waitSeconds > 0 && (await hasUntoldApproval(gateway.db, id, askedFor));
    if (waitSeconds === 0 || isNews || !(await isDecided(gateway, id, waitSeconds)))
      return answerNow(gateway, before, askedFor, passNumber);
  }
  // Of a decision that was there before, no worker hears now.
  const moved = isDecidedAlready ? undefined : await nextMove(gateway, id, passNumber);
  if (!moved) await goOn(gateway, id);
  return answerWhenSettled(gateway, moved ?? id, passNumber, askedFor);
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
  const pendingIds = pending.map(({ id }) => id);
  const [isUntold, progress, twinApprovalId] = await Promise.all([
    tellApprovals(gateway.db, pendingIds),
    run.passNumber === 0 ? undefined : findRunProgress(gateway.db, run.id),
    askedFor === undefined ? findTwinApprovalId(gateway.db, run) : undefined,
  ]);
  const [next = approvals[0]!, ...others] = pending;
  const isNew = askedFor === undefined || run.passNumber > passBefore || (isUntold && next.id !== askedFor);
  const approved = approvals.filter((approval) => approval.status === 'approved' && approval !== next && isAtSameGate(approval, next));
  const gate: CodeRunGate = {
    kind: isNew ? 'required' : 'pending',
    approvals: [next, ...others, ...approved],
    used: approvals.filter(({ status }) => status === 'consumed'),
    ...{ progress, twinApprovalId },
  };
  return { run, gate, steps: [] };
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

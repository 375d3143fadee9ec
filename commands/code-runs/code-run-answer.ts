import type { Approval } from '../../domain/approval.ts';
import { type CodeRun, isFinished, isResultKept } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { hasUnannouncedApproval, markAnnounced } from '../../store/approvals.ts';
import { awaitCodeRun, findTwinApprovalId } from '../../store/code-runs.ts';
import { findRunProgress, listRunSteps, type RunProgress, type RunStep } from '../../store/journal.ts';
import type { Gateway } from '../gateway.ts';
import { listCurrentApprovals } from './current-approvals.ts';
import { awaitStoppedPass } from './pass/await-stopped-pass.ts';
import { awaitTransition, isDecided, readRun, resumeEagerly, resumeRun, resumeSilentRun } from './run-progress.ts';

/** The approvals that a run waits for, as the answer to the caller names them. */
export interface AwaitedApprovals {
  /** `required`: new to the caller. `pending`: known to the caller, who continued too early. */
  kind: 'required' | 'pending';
  /** The approval to decide next comes first; approved approvals come last. */
  approvals: [Approval, ...Approval[]];
  used: Approval[];
  /** Undefined before the code has begun. */
  progress: RunProgress | undefined;
  /**
   * The pending approval of an earlier run of the same code. Undefined if the caller continues a
   * run.
   */
  twinApprovalId: string | undefined;
}

/** The state of a run in the answer to its caller. */
export interface CodeRunAnswer {
  run: CodeRun;
  /** Null if the run has ended. */
  awaited: AwaitedApprovals | null;
  /** The calls that an ended run made. Empty while the run waits. */
  steps: RunStep[];
}

/**
 * Resumes a run when its approvals are decided. Waits up to `waitSeconds` for the decisions.
 * `approval` is the approval by which the caller named the run.
 */
export async function answerWhenDecided(
  gateway: Gateway,
  before: CodeRun,
  waitSeconds: number,
  approval?: Approval,
): Promise<CodeRunAnswer> {
  const { id, passNumber } = before;
  const approvalId = approval?.id;
  if (waitSeconds > 0) await awaitCodeRun(gateway.db, id, waitSeconds);
  const isDecidedAlready = await isDecided(gateway, id, 0);
  if (!isDecidedAlready) {
    // True if the run waits for another approval that no answer has named. The answer names it now.
    const isUnannounced = waitSeconds > 0 && (await hasUnannouncedApproval(gateway.db, id, approvalId));
    if (waitSeconds === 0 || isUnannounced || !(await isDecided(gateway, id, waitSeconds)))
      return answerNow(gateway, before, approvalId, passNumber);
  }
  // If the decision predates our subscription, no notification will come, so resume the run here.
  const moved = isDecidedAlready
    ? await (approval ? resumeEagerly(gateway, before, approval) : resumeRun(gateway, id))
    : ((await awaitTransition(gateway, id, { passBefore: passNumber })) ?? (await resumeSilentRun(gateway, id, passNumber)));
  return answerWhenSettled(gateway, moved ?? id, passNumber, approvalId);
}

/**
 * The state of a run that was just advanced. Resumes the run first if its approvals are decided.
 */
export async function answerWhenSettled(
  gateway: Gateway,
  moved: CodeRun | string,
  passBefore: number,
  approvalId?: string,
): Promise<CodeRunAnswer> {
  let run = typeof moved === 'string' ? await readRun(gateway, moved) : moved;
  for (let lastPass = -1; ; run = await readRun(gateway, run.id)) {
    const stands = isFinished(run.status) || run.passNumber === lastPass || !(await isDecided(gateway, run.id, 0));
    if (stands) return answerNow(gateway, run, approvalId, passBefore);
    lastPass = run.passNumber;
    await resumeRun(gateway, run.id);
  }
}

/**
 * The state of a run. Throws UNAVAILABLE if the run is still under way, and CODE_RUN_RESULT_EXPIRED
 * if the result of an ended run is no longer kept.
 */
export async function answerNow(
  gateway: Gateway,
  run: CodeRun,
  approvalId: string | undefined,
  passBefore: number,
): Promise<CodeRunAnswer> {
  if (isFinished(run.status)) {
    assertKept(gateway, run);
    return { run: await awaitStoppedPass(gateway, run), awaited: null, steps: await listRunSteps(gateway.db, run.id) };
  }
  const approvals = await listCurrentApprovals(gateway, run.id);
  if (approvals.length === 0) throw new GatewayError('UNAVAILABLE', 'The run is still under way.', { codeRunId: run.id });
  const pending = approvals.filter((approval) => approval.status === 'pending');
  pending.sort((a, b) => Number(b.id === approvalId) - Number(a.id === approvalId));
  const pendingIds = pending.map(({ id }) => id);
  const [isUnannounced, progress, twinApprovalId] = await Promise.all([
    markAnnounced(gateway.db, pendingIds),
    run.passNumber === 0 ? undefined : findRunProgress(gateway.db, run.id),
    approvalId === undefined ? findTwinApprovalId(gateway.db, run) : undefined,
  ]);
  const [next = approvals[0]!, ...others] = pending;
  const isNew = approvalId === undefined || run.passNumber > passBefore || (isUnannounced && next.id !== approvalId);
  const approved = approvals.filter((approval) => approval.status === 'approved' && approval !== next && areShownTogether(approval, next));
  const awaited: AwaitedApprovals = {
    kind: isNew ? 'required' : 'pending',
    approvals: [next, ...others, ...approved],
    used: approvals.filter(({ status }) => status === 'consumed'),
    ...{ progress, twinApprovalId },
  };
  return { run, awaited, steps: [] };
}

/** Whether both approvals are of plans, or both of single calls. */
function areShownTogether(one: Approval, other: Approval): boolean {
  return (one.callNumber === null) === (other.callNumber === null);
}

function assertKept(gateway: Gateway, run: CodeRun): void {
  const hours = gateway.config.code.retentionHours;
  if (!isResultKept(run, hours)) {
    throw new GatewayError('CODE_RUN_RESULT_EXPIRED', `The result of this run was kept for ${hours} hours, and that time is over.`);
  }
}

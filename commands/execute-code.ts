import type { Actor, Approval } from '../domain/approval.ts';
import type { RecordedCall } from '../domain/call.ts';
import { type CodeRun, isFinished } from '../domain/code-run.ts';
import { GatewayError } from '../domain/errors.ts';
import { APPROVAL_WAIT_SECONDS } from '../domain/limits.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { randomId } from '../infra/tokens.ts';
import { findApproval } from '../store/approvals.ts';
import { awaitCodeRun, countRunningCodeRuns, deleteUnstartedCodeRun, findCodeRun, insertCodeRun, RUN_MOVED } from '../store/code-runs.ts';
import { readJournal } from '../store/journal.ts';
import { RUN_APPROVAL_SETTLED } from '../store/outbox.ts';
import { listStandingApprovals } from './advance-code-run.ts';
import type { Gateway } from './gateway.ts';
import { hashCode } from './plan-code-run.ts';

export interface ExecuteCode {
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'name' | 'settings'>;
  requestedBy: Actor;
  /** External id. */
  endUserId: string | null;
  /** Exactly one of the two. */
  code?: string | undefined;
  approvalId?: string | undefined;
  /** Overrides the server's setting. */
  waitForApprovalSeconds?: number | undefined;
}

/** What a run waits for. */
export interface CodeRunGate {
  /** `pending` when a continuation came too early; `required` when the run has just met these. */
  kind: 'required' | 'pending';
  /** All that must be approved before it goes on, what is approved already last; the first one is the next to be decided. */
  approvals: [Approval, ...Approval[]];
}

/** Where a run stands, for its caller. */
export interface CodeRunAnswer {
  run: CodeRun;
  gate: CodeRunGate | null;
  calls: RecordedCall[];
}

/** Starts a run, or continues the one that an approval belongs to (specification 3.2, 4.2 execute-code). */
export async function executeCode(gateway: Gateway, request: ExecuteCode): Promise<CodeRunAnswer> {
  return request.code !== undefined ? start(gateway, request, request.code) : resume(gateway, request, request.approvalId ?? '');
}

async function start(gateway: Gateway, { server, requestedBy, endUserId }: ExecuteCode, code: string): Promise<CodeRunAnswer> {
  await assertQuota(gateway, server.orgId);
  const id = randomId('crun_');
  await insertCodeRun(gateway.db, {
    id,
    orgId: server.orgId,
    workspaceId: server.workspaceId,
    mcpServerId: server.id,
    endUserId,
    requestedByType: requestedBy.type,
    requestedById: requestedBy.id,
    code,
    codeHash: hashCode(code),
  });
  try {
    await gateway.orchestrator.startCodeRun({
      codeRunId: id,
      orgId: server.orgId,
      workspaceId: server.workspaceId,
      serverName: server.name,
    });
  } catch (error) {
    await deleteUnstartedCodeRun(gateway.db, id);
    throw error;
  }
  return answerWhenSettled(gateway, id, 0);
}

async function resume(gateway: Gateway, request: ExecuteCode, approvalId: string): Promise<CodeRunAnswer> {
  const { server } = request;
  const approval = await findApproval(gateway.db, server.orgId, approvalId);
  const before = approval?.codeRunId ? await findCodeRun(gateway.db, approval.codeRunId) : undefined;
  if (!before || before.mcpServerId !== server.id || isSomebodyElses(before, request))
    throw new GatewayError('APPROVAL_NOT_FOUND', 'This server has no code run with such an approval.');
  if (isFinished(before.status)) return answer(gateway, before, approvalId, before.passNumber);

  const waitSeconds = request.waitForApprovalSeconds ?? server.settings.codeMode?.approvalWaitSeconds ?? APPROVAL_WAIT_SECONDS.default;
  if (waitSeconds > 0) await awaitCodeRun(gateway.db, before.id, waitSeconds);
  if (!(await isDecided(gateway, before.id, waitSeconds))) return answer(gateway, before, approvalId, before.passNumber);
  if (waitSeconds === 0 || !(await hasMoved(gateway, before))) await gateway.orchestrator.continueCodeRun(before.id);
  return answerWhenSettled(gateway, before.id, before.passNumber, approvalId);
}

/** So long a run that somebody waits for may take to go on by itself when it hears of the decision; then it is asked to. */
const MOVE_MS = 1000;

/** Whether a run has gone on by itself since, to its next gate or its end. */
async function hasMoved(gateway: Gateway, before: CodeRun): Promise<boolean> {
  const moved = await gateway.notices.waitFor(RUN_MOVED, before.id, MOVE_MS, async () => {
    const run = await findCodeRun(gateway.db, before.id);
    const isAtNextGate = run?.status === 'waiting' && run.passNumber > before.passNumber;
    return !run || isFinished(run.status) || isAtNextGate || undefined;
  });
  return moved ?? false;
}

/** A run acts with the accounts of its end user and answers what they hold: another end user's token does not continue it. */
function isSomebodyElses(run: CodeRun, { requestedBy, endUserId }: ExecuteCode): boolean {
  return requestedBy.type === 'mcp_token' && endUserId !== null && run.endUserId !== endUserId;
}

/** People may decide before the caller has even heard of the gate: then the run goes on at once. */
async function answerWhenSettled(gateway: Gateway, codeRunId: string, passBefore: number, askedFor?: string): Promise<CodeRunAnswer> {
  for (let lastPass = -1; ; ) {
    const run = await findCodeRun(gateway.db, codeRunId);
    if (!run) throw new GatewayError('APPROVAL_NOT_FOUND', 'The run is gone.');
    const stands = run.passNumber === lastPass || !(await isDecided(gateway, codeRunId, 0));
    if (isFinished(run.status) || stands) return answer(gateway, run, askedFor, passBefore);
    lastPass = run.passNumber;
    await gateway.orchestrator.continueCodeRun(codeRunId);
  }
}

/** Whether people have said all that a run needs to go on or to end; waits so long for it. Postgres knows, and tells: the run's workflow is not asked. */
async function isDecided(gateway: Gateway, codeRunId: string, waitSeconds: number): Promise<boolean> {
  const check = async () => {
    const statuses = (await listStandingApprovals(gateway, codeRunId)).map(({ status }) => status);
    const ended = statuses.some((status) => status === 'rejected' || status === 'expired' || status === 'canceled');
    return ended || !statuses.includes('pending') || undefined;
  };
  const decided =
    waitSeconds === 0 ? await check() : await gateway.notices.waitFor(RUN_APPROVAL_SETTLED, codeRunId, waitSeconds * 1000, check);
  return decided ?? false;
}

async function assertQuota(gateway: Gateway, orgId: string): Promise<void> {
  const quota = gateway.config.quotas.codeRuns;
  if (quota === undefined || (await countRunningCodeRuns(gateway.db, orgId)) < quota) return;
  throw new GatewayError('QUOTA_EXCEEDED', `${quota} code runs are running already. Wait until one has ended.`);
}

/** A gate that the run has met since `passBefore` is new to the caller; another one is still pending. */
async function answer(gateway: Gateway, run: CodeRun, askedFor: string | undefined, passBefore: number): Promise<CodeRunAnswer> {
  const { calls } = await readJournal(gateway.db, run.id);
  if (isFinished(run.status)) {
    assertKept(gateway, run);
    return { run, gate: null, calls };
  }
  const approvals = await listStandingApprovals(gateway, run.id);
  const pending = approvals.filter((approval) => approval.status === 'pending');
  pending.sort((a, b) => Number(b.id === askedFor) - Number(a.id === askedFor));
  const isNew = askedFor === undefined || run.passNumber > passBefore;
  const [next = approvals[0]!, ...others] = pending;
  const approved = approvals.filter((approval) => approval.status === 'approved' && approval !== next && isAtSameGate(approval, next));
  return { run, gate: { kind: isNew ? 'required' : 'pending', approvals: [next, ...others, ...approved] }, calls };
}

/** Those of the plan are asked for together, and so are those of calls that the run has met since. */
function isAtSameGate(one: Approval, other: Approval): boolean {
  return (one.callNumber === null) === (other.callNumber === null);
}

function assertKept(gateway: Gateway, { finishedSecondsAgo }: CodeRun): void {
  const hours = gateway.config.code.retentionHours;
  if (finishedSecondsAgo !== null && finishedSecondsAgo > hours * 3600) {
    throw new GatewayError('CODE_RUN_RESULT_EXPIRED', `The result of this run was kept for ${hours} hours, and that time is over.`);
  }
}

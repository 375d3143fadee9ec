import { type ActivityType, aboutApproval, aboutCall, clearedActivity, type NewActivity } from '../domain/activity.ts';
import type { Approval } from '../domain/approval.ts';
import type { Call, CallEntry, RecordedCall } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Cleared, PolicyMatch } from '../domain/match-policies.ts';
import { type Db, isDuplicate } from '../infra/database.ts';
import { consumeApproval } from '../store/approval-moves.ts';
import { findApproval, insertPolicyDecidedApproval } from '../store/approvals.ts';
import { findCallByApproval, findCallByKey, insertCall, releaseOldKey } from '../store/calls.ts';
import { holdJournalCall, insertJournalCall, startJournalCall } from '../store/journal.ts';
import { insertOutbox } from '../store/outbox.ts';
import {
  type Binding,
  findApprovalUsedSince,
  findApprovedWithin,
  findStandingApproval,
  listOverdueApprovalIds,
} from '../store/standing-approvals.ts';
import { announceApproval } from './announce-approval.ts';
import type { Gateway } from './gateway.ts';
import { hashCall } from './hash-call.ts';
import { matchByLatest } from './match-call.ts';
import { recordActivity } from './record-activity.ts';
import { approvalOfCall, requestApproval, shownReasons } from './request-approval.ts';
import { tellRequested } from './tell-orchestrator.ts';
import { timeOutApproval } from './time-out-approval.ts';

/** What the gate says of a call. */
export type Admission =
  /** It may run, now, once. `callId` is the record made of it; null where the record is made afterwards. */
  | { kind: 'admitted'; inputHash: string; callId: string | null }
  | { kind: 'approval_required'; inputHash: string; approval: Approval }
  /** Another attempt with the same permission was first; its outcome is the answer. */
  | { kind: 'made_already'; inputHash: string; call: RecordedCall };

/**
 * The one gate (design: gates and durable code runs): every action call passes here, with its final input. Throws
 * APPROVAL_POLICY_BLOCKED. A permission is used up in the transaction that records the call which it admits.
 */
export async function admitCall(gateway: Gateway, call: Call): Promise<Admission> {
  const inputHash = hashCall(call);
  const { match, cleared } = await matchByLatest(gateway, await gateway.policies.of(call), call, inputHash);
  switch (match?.policy.decision) {
    case undefined:
      return { kind: 'admitted', inputHash, callId: await recordUngated(gateway.db, call, inputHash, cleared) };
    case 'block':
      return refuse(gateway, call, inputHash, match!);
    case 'auto_approve':
    case 'notify_only':
      return admitByPolicy(gateway, call, inputHash, match!, cleared);
    case 'require_approval':
      return call.run ? admitInRun(gateway, call, inputHash, match!) : admitByApproval(gateway, call, inputHash, match!);
  }
}

async function refuse(gateway: Gateway, call: Call, inputHash: string, match: PolicyMatch): Promise<never> {
  await gateway.db.transaction(async (tx) => {
    const callId = call.run ? null : await insertCall(tx, call, { inputHash, status: 'blocked' });
    await recordActivity(tx, judged('call.blocked', call, inputHash, match, { callId }));
  });
  throw blocked(match);
}

function blocked({ policy }: PolicyMatch): GatewayError {
  return new GatewayError('APPROVAL_POLICY_BLOCKED', `The policy "${policy.name}" blocks this action.`, { policyId: policy.id });
}

/** notify_only and auto_approve: the call runs at once, and an approval record says why (decisions section 3). */
async function admitByPolicy(
  gateway: Gateway,
  call: Call,
  inputHash: string,
  match: PolicyMatch,
  cleared: readonly Cleared[],
): Promise<Admission> {
  const notify = match.policy.decision === 'notify_only';
  const { approval, callId } = await gateway.db.transaction(async (tx) => {
    const approval = await insertPolicyDecidedApproval(tx, { ...approvalOfCall(call, match, inputHash), status: 'consumed' });
    if (notify) {
      await announceApproval(gateway, tx, 'approval.requested', approval);
      await insertOutbox(tx, { kind: 'approval-requested', subjectId: approval.id });
    }
    const callId = await recordStarted(tx, call, inputHash, approval);
    const letThrough = judged('call.let_through', call, inputHash, match, { approvalId: approval.id, callId });
    await recordActivity(tx, ...clearedOf(cleared, call, inputHash, callId), letThrough);
    return { approval, callId };
  });
  if (notify) await tellRequested(gateway, approval);
  return { kind: 'admitted', inputHash, callId };
}

async function admitByApproval(gateway: Gateway, call: Call, inputHash: string, match: PolicyMatch): Promise<Admission> {
  const binding: Binding = { orgId: call.orgId, inputHash, policyId: match.policy.id };
  const standing = await findStandingApproval(gateway.db, binding);
  if (standing?.status === 'pending') return { kind: 'approval_required', inputHash, approval: standing };
  if (standing) {
    const callId = await useApproval(gateway, call, inputHash, standing);
    if (callId) return { kind: 'admitted', inputHash, callId };
    const first = await findCallByApproval(gateway.db, standing.id);
    if (first) return { kind: 'made_already', inputHash, call: first };
  }
  const made = await findMade(gateway.db, call, inputHash, binding);
  if (made) return { kind: 'made_already', inputHash, call: made };
  const reused = await admitAgain(gateway, call, binding, match);
  if (reused) return reused;
  return { kind: 'approval_required', inputHash, approval: await askOnce(gateway, call, inputHash, match, binding) };
}

/** A call of a code run: covered by an approval of the plan, or else it needs one of its own. */
async function admitInRun(gateway: Gateway, call: Call, inputHash: string, match: PolicyMatch): Promise<Admission> {
  const binding: Binding = { orgId: call.orgId, inputHash, policyId: match.policy.id };
  const callId = await usePlanApproval(gateway, call, inputHash, match, (tx, approval) => recordStarted(tx, call, inputHash, approval));
  if (callId) return { kind: 'admitted', inputHash, callId };
  const reused = await admitAgain(gateway, call, binding, match);
  if (reused) return reused;
  const approval = await gateway.db.transaction(async (tx) => {
    const asked = await requestApproval(gateway, tx, approvalOfCall(call, match, inputHash));
    await insertJournalCall(tx, call, { inputHash, status: 'gated', approvalId: asked.id });
    return asked;
  });
  await tellRequested(gateway, approval);
  return { kind: 'approval_required', inputHash, approval };
}

/**
 * A call of a code run that was held at the gate and comes again in a later pass: admitted when its approval is there and is about exactly
 * this call, or when one of the plan covers it. Where what the call stands for has changed since, it asks anew; a policy that blocks it now wins. Answers
 * whether it may run.
 */
export async function admitHeldCall(gateway: Gateway, call: Call, held: CallEntry): Promise<boolean> {
  const inputHash = hashCall(call);
  const { match, cleared } = await matchByLatest(gateway, await gateway.policies.of(call), call, inputHash);
  if (match?.policy.decision === 'block') return refuse(gateway, call, inputHash, match);
  const approval = held.approvalId ? await findApproval(gateway.db, call.orgId, held.approvalId) : undefined;
  if (approval && standsFor(approval, call, inputHash, match)) {
    return gateway.db.transaction(async (tx) => {
      if (!(await consumeApproval(tx, approval.id))) return false;
      await startJournalCall(tx, call.run!, held.id);
      await recordActivity(tx, consumed(approval, call, held.id));
      return true;
    });
  }
  if (match?.policy.decision === 'require_approval') {
    if (
      await usePlanApproval(gateway, call, inputHash, match, (tx, { id: approvalId }) =>
        startHeld(tx, call, held, { inputHash, approvalId }),
      )
    )
      return true;
    const asked = await gateway.db.transaction(async (tx) => {
      const anew = await requestApproval(gateway, tx, approvalOfCall(call, match, inputHash));
      await holdJournalCall(tx, call.run!, held.id, { inputHash, approvalId: anew.id });
      return anew;
    });
    await tellRequested(gateway, asked);
    return false;
  }
  await gateway.db.transaction(async (tx) => {
    await startJournalCall(tx, call.run!, held.id);
    const letThrough = match ? [judged('call.let_through', call, inputHash, match, { callId: held.id })] : [];
    await recordActivity(tx, ...clearedOf(cleared, call, inputHash, held.id), ...letThrough);
  });
  return true;
}

/** Whether an approval is about exactly this call, in this program, and whoever must be asked about it now is who was asked. */
function standsFor(approval: Approval, call: Call, inputHash: string, match: PolicyMatch | undefined): boolean {
  const asksAnother = match?.policy.decision === 'require_approval' && match.policy.id !== approval.policyId;
  return !asksAnother && approval.inputHash === inputHash && approval.codeHash === call.run!.codeHash;
}

/** Uses up an approval and records the call, in one transaction; undefined when another call was first or its time is up. */
async function useApproval(gateway: Gateway, call: Call, inputHash: string, approval: Approval): Promise<string | undefined> {
  return gateway.db.transaction(async (tx) => {
    if (!(await consumeApproval(tx, approval.id))) return undefined;
    const callId = await recordStarted(tx, call, inputHash, approval);
    await recordActivity(tx, consumed(approval, call, callId));
    return callId;
  });
}

/** Starts a held call under another approval than the one that it was held for. */
async function startHeld(tx: Db, call: Call, held: CallEntry, under: { inputHash: string; approvalId: string }): Promise<string> {
  await holdJournalCall(tx, call.run!, held.id, under);
  await startJournalCall(tx, call.run!, held.id);
  return held.id;
}

/**
 * Where an approval of the plan covers a call, starts it with `start`, which answers the id of its record. The first call that is covered uses the approval up; later
 * ones of the same run stand on it.
 */
async function usePlanApproval(
  gateway: Gateway,
  call: Call,
  inputHash: string,
  match: PolicyMatch,
  start: (tx: Db, approval: Approval) => Promise<string>,
): Promise<string | undefined> {
  const approvalId = call.run!.planApprovals[match.policy.id];
  if (approvalId === undefined) return undefined;
  return gateway.db.transaction(async (tx) => {
    const used = await consumeApproval(tx, approvalId);
    const approval = used ?? (await findApproval(tx, call.orgId, approvalId));
    if (approval?.codeRunId !== call.run!.codeRunId || approval.status !== 'consumed') return undefined;
    const callId = await start(tx, approval);
    await recordActivity(
      tx,
      used ? consumed(approval, call, callId) : judged('call.let_through', call, inputHash, match, { approvalId, callId }),
    );
    return callId;
  });
}

/** Another attempt may have used up the approval since this one looked for a stored outcome, or since it arrived. */
async function findMade(
  db: Db,
  { workspaceId, idempotencyKey, requestHash, arrivedAt }: Call,
  inputHash: string,
  binding: Binding,
): Promise<RecordedCall | undefined> {
  const usedSince = arrivedAt && (await findApprovalUsedSince(db, binding, arrivedAt));
  if (usedSince) return findCallByApproval(db, usedSince);
  const made = idempotencyKey ? await findCallByKey(db, workspaceId, idempotencyKey) : undefined;
  if (made && !isSameCall(made, inputHash, requestHash)) throw keyConflict();
  return made;
}

/** Within the reuse window of a policy, what a person approved runs again without being asked about; undefined outside of it. */
async function admitAgain(gateway: Gateway, call: Call, binding: Binding, match: PolicyMatch): Promise<Admission | undefined> {
  const { inputHash } = binding;
  const windowSeconds = match.policy.reuseWindowSeconds ?? 0;
  if (windowSeconds === 0) return undefined;
  const within = { ...binding, policyVersion: match.policy.version, endUserId: call.endUserId, windowSeconds };
  const approvalId = await findApprovedWithin(gateway.db, within);
  if (approvalId === undefined) return undefined;
  return gateway.db.transaction(async (tx) => {
    const callId = await recordStarted(tx, call, inputHash);
    await recordActivity(tx, judged('call.reused', call, inputHash, match, { approvalId, callId }));
    return { kind: 'admitted', inputHash, callId };
  });
}

/** Creates the approval of a call; racing calls get one and the same. */
async function askOnce(gateway: Gateway, call: Call, inputHash: string, match: PolicyMatch, binding: Binding): Promise<Approval> {
  try {
    const approval = await gateway.db.transaction((tx) => requestApproval(gateway, tx, approvalOfCall(call, match, inputHash)));
    await tellRequested(gateway, approval);
    return approval;
  } catch (error) {
    if (!isDuplicate(error, 'approvals_one_pending')) throw error;
    for (const overdue of await listOverdueApprovalIds(gateway.db, binding)) await timeOutApproval(gateway, overdue);
    return (await findStandingApproval(gateway.db, binding)) ?? askOnce(gateway, call, inputHash, match, binding);
  }
}

/** Whether a recorded call is this one: as the caller sent it, or as it came out of presets and defaults. */
export function isSameCall(made: RecordedCall, inputHash: string, requestHash: string | undefined): boolean {
  return made.inputHash === inputHash || (requestHash !== undefined && made.requestHash === requestHash);
}

/** The error for an idempotency key that stands for another call (decisions section 2, Idempotency). */
export function keyConflict(): GatewayError {
  return new GatewayError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used with another call in the last 24 hours.');
}

/** An ungated call is recorded before it runs only where a crash must not be able to repeat it, or where the audit trail tells of it. */
async function recordUngated(db: Db, call: Call, inputHash: string, cleared: readonly Cleared[]): Promise<string | null> {
  if (cleared.length > 0)
    return db.transaction(async (tx) => {
      const callId = await recordStarted(tx, call, inputHash);
      await recordActivity(tx, ...clearedOf(cleared, call, inputHash, callId));
      return callId;
    });
  const before = call.run ? !call.idempotent : call.idempotencyKey !== undefined;
  return before ? recordStarted(db, call, inputHash) : null;
}

async function recordStarted(db: Db, call: Call, inputHash: string, approval?: Approval): Promise<string> {
  const approvalId = approval?.id ?? null;
  if (call.run) return insertJournalCall(db, call, { inputHash, status: 'executing', approvalId });
  const idempotencyKey = call.idempotencyKey ?? (approval?.status === 'approved' ? approval.idempotencyKey : null);
  if (idempotencyKey) await releaseOldKey(db, call.workspaceId, idempotencyKey);
  return insertCall(db, call, { inputHash, status: 'executing', approvalId, idempotencyKey });
}

/** What the audit trail says of a call that used up an approval. */
function consumed(approval: Approval, { requestedBy }: Call, callId: string): NewActivity {
  return { ...aboutApproval(approval), type: 'approval.consumed', actor: requestedBy, callId, details: { inputHash: approval.inputHash } };
}

/** What it says of a call that a policy stopped or let through. */
function judged(
  type: ActivityType,
  call: Call,
  inputHash: string,
  match: PolicyMatch,
  about: Pick<NewActivity, 'approvalId' | 'callId'>,
): NewActivity {
  const { id: policyId, version: policyVersion, name: policyName, decision } = match.policy;
  const details = { policyName, decision, reasons: shownReasons(match, call), source: call.source, inputHash };
  return { ...aboutCall(call), ...about, type, policyId, policyVersion, details };
}

function clearedOf(cleared: readonly Cleared[], call: Call, inputHash: string, callId: string): NewActivity[] {
  return cleared.map((one) => clearedActivity(one, call, callId, { inputHash }));
}

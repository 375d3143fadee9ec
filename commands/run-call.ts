import type { Approval } from '../domain/approval.ts';
import type { CallOutcome, RecordedCall } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import { isDuplicate } from '../infra/database.ts';
import { CALL_FINISHED, findCall, findCallByKey, finishCall, insertFinishedCall, markCallUnknown } from '../store/calls.ts';
import { findKeyConflict } from '../store/standing-approvals.ts';
import { type Admission, admitCall, isSameCall, keyConflict } from './admit-call.ts';
import type { Gateway } from './gateway.ts';
import { hashCall } from './hash-call.ts';
import { deadlineSecondsOf, performCall } from './perform-call.ts';
import type { PreparedCall } from './prepare-call.ts';

/** What a caller gets: an outcome, or the approval that the call waits for. */
export type CallAnswer = { kind: 'done'; outcome: CallOutcome } | { kind: 'approval_required'; approval: Approval };

/**
 * Takes one call through the gate and runs it: the way of every call that is not part of a code run. The same idempotency key
 * with the same call answers the stored outcome, waiting for it while it runs; with another call it throws IDEMPOTENCY_CONFLICT.
 * `made` is what the caller found under the key.
 */
export async function runCall(gateway: Gateway, prepared: PreparedCall, made?: RecordedCall): Promise<CallAnswer> {
  const stored = await assertSame(gateway, prepared, made);
  if (stored) return { kind: 'done', outcome: await outcomeOf(gateway, stored, deadlineSecondsOf(prepared)) };

  const admission = await admit(gateway, prepared);
  switch (admission.kind) {
    case 'approval_required':
      return admission;
    case 'made_already':
      return { kind: 'done', outcome: await outcomeOf(gateway, admission.call, deadlineSecondsOf(prepared)) };
    case 'admitted':
      return { kind: 'done', outcome: await perform(gateway, prepared, admission) };
  }
}

/** What was made under the key of a call, if it was this call. Throws IDEMPOTENCY_CONFLICT where the key stands for another one. */
async function assertSame(gateway: Gateway, { call }: PreparedCall, made: RecordedCall | undefined): Promise<RecordedCall | undefined> {
  const { workspaceId, idempotencyKey, requestHash } = call;
  if (!idempotencyKey) return undefined;
  const inputHash = hashCall(call);
  const isTaken = await findKeyConflict(gateway.db, { workspaceId, idempotencyKey, inputHash, requestHash });
  if (isTaken || (made && !isSameCall(made, inputHash, requestHash))) throw keyConflict();
  return made;
}

/** Two calls with one key may meet at the insert; the one that comes second finds the first one's record. */
async function admit(gateway: Gateway, prepared: PreparedCall): Promise<Admission> {
  try {
    return await admitCall(gateway, prepared.call);
  } catch (error) {
    if (!isDuplicate(error, 'calls_once_a_key')) throw error;
    const { workspaceId, idempotencyKey } = prepared.call;
    const made = idempotencyKey ? await findCallByKey(gateway.db, workspaceId, idempotencyKey) : undefined;
    const first = await assertSame(gateway, prepared, made);
    if (!first) throw keyConflict();
    return { kind: 'made_already', inputHash: first.inputHash, call: first };
  }
}

async function perform(
  gateway: Gateway,
  prepared: PreparedCall,
  { inputHash, callId }: Extract<Admission, { kind: 'admitted' }>,
): Promise<CallOutcome> {
  const startedAt = new Date();
  const outcome = await performCall(gateway, prepared);
  if (callId) await finishCall(gateway.db, callId, outcome);
  else await insertFinishedCall(gateway.db, prepared.call, { inputHash, outcome, startedAt });
  return outcome;
}

/** The outcome of a call that somebody else makes: now, when it ends, or EXECUTION_OUTCOME_UNKNOWN when it never will. */
export async function outcomeOf(gateway: Gateway, call: RecordedCall, deadlineSeconds: number): Promise<CallOutcome> {
  if (call.outcome) return call.outcome;
  const leftMs = call.startedAt.getTime() + deadlineSeconds * 1000 - Date.now();
  const finished =
    call.status === 'executing' &&
    (await gateway.notices.waitFor(
      CALL_FINISHED,
      call.id,
      leftMs,
      async () => (await findCall(gateway.db, call.id))?.outcome ?? undefined,
    ));
  if (finished) return finished;
  await markCallUnknown(gateway.db, call.id);
  throw new GatewayError(
    'EXECUTION_OUTCOME_UNKNOWN',
    'This call was started and its outcome was lost. Whether it took effect must be looked up at the third party; it is not tried again.',
    {
      callId: call.id,
    },
  );
}

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../domain/approval.ts';
import type { CallOutcome, RecordedCall } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import { isDatabaseUnavailable, isDuplicate } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { CALL_FINISHED, findCall, findCallByKey, findCallProgress, finishCall } from '../../store/calls.ts';
import { findKeyConflict } from '../../store/reusable-approvals.ts';
import type { Gateway } from '../gateway.ts';
import { admitCall } from './admit-call.ts';
import type { Admission } from './gate/admission.ts';
import { giveUpCall } from './give-up-call.ts';
import { hashCallInTurns } from './hash-call.ts';
import { deadlineSecondsOf, performCall } from './perform-call.ts';
import type { PreparedCall } from './prepare-call.ts';
import { assertSameCall, keyConflict } from './same-call.ts';

/** The outcome of the call, or the approval that the call waits for. */
export type CallAnswer = { kind: 'done'; outcome: CallOutcome } | { kind: 'approval_required'; approval: Approval };

/**
 * Asks the gate (`admitCall`) whether a call outside of code runs may run, and runs it. `made` is
 * the call that already has the idempotency key. Throws IDEMPOTENCY_CONFLICT.
 */
export async function runCall(gateway: Gateway, prepared: PreparedCall, made?: RecordedCall): Promise<CallAnswer> {
  const stored = await findSameCall(gateway, prepared, made);
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

async function findSameCall(gateway: Gateway, { call }: PreparedCall, made: RecordedCall | undefined): Promise<RecordedCall | undefined> {
  const { workspaceId, idempotencyKey, requestHash } = call;
  if (!idempotencyKey) return undefined;
  const inputHash = await hashCallInTurns(call);
  await breathe();
  const isTaken = await findKeyConflict(gateway.db, { workspaceId, idempotencyKey, inputHash, requestHash });
  if (isTaken) throw keyConflict();
  if (made) assertSameCall(made, inputHash, requestHash);
  return made;
}

/**
 * If two calls with the same idempotency key start concurrently, the second gets the record of the
 * first.
 */
async function admit(gateway: Gateway, prepared: PreparedCall): Promise<Admission> {
  const attempt = { callId: randomUUID(), processLock: await gateway.processLock.number() };
  try {
    return await admitCall(gateway, { ...prepared.call, attempt });
  } catch (error) {
    // The call may have been admitted just before the connection was lost.
    if (isDatabaseUnavailable(error)) retryInBackground(gateway, () => finishCall(gateway.db, attempt.callId, NOT_MADE));
    if (!isDuplicate(error, 'calls_once_a_key')) throw error;
    const { workspaceId, idempotencyKey } = prepared.call;
    const made = idempotencyKey ? await findCallByKey(gateway.db, workspaceId, idempotencyKey) : undefined;
    const first = await findSameCall(gateway, prepared, made);
    if (!first) throw keyConflict();
    return { kind: 'made_already', inputHash: first.inputHash, call: first };
  }
}

const NOT_MADE: CallOutcome = {
  ok: false,
  error: {
    code: 'ACTION_FAILED',
    message: 'The call was admitted but not made, because the database connection was lost. It took no effect.',
    details: { reason: 'not_made' },
  },
};

/**
 * Without `callId`, the call is recorded only after the action ran. If this record cannot be
 * written, the call fails.
 */
async function perform(
  gateway: Gateway,
  prepared: PreparedCall,
  { inputHash, callId }: Extract<Admission, { kind: 'admitted' }>,
): Promise<CallOutcome> {
  const startedAt = new Date();
  const outcome = await performCall(gateway, prepared).catch((error) => {
    if (callId) retryInBackground(gateway, () => giveUpCall(gateway, callId));
    throw error;
  });
  if (!callId) await gateway.recordCall({ call: prepared.call, inputHash, outcome, startedAt });
  else return recordOutcome(gateway, callId, outcome);
  return outcome;
}

async function recordOutcome(gateway: Gateway, callId: string, outcome: CallOutcome): Promise<CallOutcome> {
  try {
    await writeOrRetry(gateway, () => finishCall(gateway.db, callId, outcome));
    return outcome;
  } catch (error) {
    gateway.logger.error({ err: error, callId }, 'call outcome cannot be stored');
    // A repetition of the call must not wait for an outcome that never comes.
    await writeOrRetry(gateway, () => finishCall(gateway.db, callId, NOT_KEPT));
    return NOT_KEPT;
  }
}

const NOT_KEPT: CallOutcome = {
  ok: false,
  error: {
    code: 'ACTION_FAILED',
    message: 'The action ran, but its output cannot be stored and was dropped.',
    details: { reason: 'not_kept' },
  },
};

async function writeOrRetry(gateway: Gateway, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    gateway.logger.warn({ error: String(error) }, 'call outcome not written, retrying');
    retryInBackground(gateway, work);
  }
}

const RETRY_AFTER_MS = 500;

function retryInBackground({ logger }: Gateway, work: () => Promise<unknown>): void {
  const writing = async () => {
    await delay(RETRY_AFTER_MS, undefined, { ref: false });
    await retry({ while: isDatabaseUnavailable, backoff: { firstMs: RETRY_AFTER_MS }, background: true }, work);
  };
  void writing().catch((error) => logger.error({ err: error }, 'call outcome not written'));
}

/**
 * Waits for a call that another request makes, and returns the outcome. Throws
 * EXECUTION_OUTCOME_UNKNOWN if the outcome was lost (decision record 0022).
 */
export async function outcomeOf(gateway: Gateway, call: RecordedCall, deadlineSeconds: number): Promise<CallOutcome> {
  const outcome = call.outcome ?? (await followCall(gateway, call.id, deadlineSeconds)) ?? (await giveUpCall(gateway, call.id));
  if (outcome) return outcome;
  throw new GatewayError(
    'EXECUTION_OUTCOME_UNKNOWN',
    'This call was started, but its outcome was lost. Check at the third party whether it took effect. It is not retried.',
    { callId: call.id },
  );
}

const CHECK_EVERY_MS = 1000;
/** A process needs some time to reconnect and take its lock again. */
const CHECKS_BEFORE_LOST = 3;
/** Recording the outcome may take this time after the deadline of the action. */
const SLACK_MS = 5000;

async function followCall(gateway: Gateway, callId: string, deadlineSeconds: number): Promise<CallOutcome | undefined> {
  let checksWithoutProcess = 0;
  for (;;) {
    const progress = await findCallProgress(gateway.db, callId);
    if (progress?.status !== 'executing') return progress?.outcome ?? undefined;
    checksWithoutProcess = progress.isAbandoned ? checksWithoutProcess + 1 : 0;
    const leftMs = deadlineSeconds * 1000 + SLACK_MS - progress.elapsedMs;
    if (checksWithoutProcess >= CHECKS_BEFORE_LOST || leftMs <= 0) return undefined;
    const find = async () => (await findCall(gateway.db, callId))?.outcome ?? undefined;
    const outcome = await gateway.notices.waitFor(CALL_FINISHED, callId, Math.min(CHECK_EVERY_MS, leftMs), find);
    if (outcome) return outcome;
  }
}

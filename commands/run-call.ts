import { randomUUID } from 'node:crypto';
import type { Approval } from '../domain/approval.ts';
import type { CallOutcome, RecordedCall } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import { isDatabaseAway, isDuplicate } from '../infra/database.ts';
import { CALL_FINISHED, findCall, findCallByKey, findCallProgress, finishCall, insertFinishedCall } from '../store/calls.ts';
import { findKeyConflict } from '../store/standing-approvals.ts';
import { type Admission, admitCall, isSameCall, keyConflict } from './admit-call.ts';
import type { Gateway } from './gateway.ts';
import { giveUpCall } from './give-up-call.ts';
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
  const attempt = { callId: randomUUID(), processLock: await gateway.processLock.number() };
  try {
    return await admitCall(gateway, { ...prepared.call, attempt });
  } catch (error) {
    // It may have been admitted at the very moment in which the database went away.
    if (isDatabaseAway(error)) writeLater(gateway, () => finishCall(gateway.db, attempt.callId, NOT_MADE));
    if (!isDuplicate(error, 'calls_once_a_key')) throw error;
    const { workspaceId, idempotencyKey } = prepared.call;
    const made = idempotencyKey ? await findCallByKey(gateway.db, workspaceId, idempotencyKey) : undefined;
    const first = await assertSame(gateway, prepared, made);
    if (!first) throw keyConflict();
    return { kind: 'made_already', inputHash: first.inputHash, call: first };
  }
}

const NOT_MADE: CallOutcome = {
  ok: false,
  error: {
    code: 'ACTION_FAILED',
    message: 'The call was admitted and not made, because the database went away at that moment. It took no effect.',
    details: { reason: 'not_made' },
  },
};

/** What was done is answered, and written down as soon as the database is there. */
async function perform(
  gateway: Gateway,
  prepared: PreparedCall,
  { inputHash, callId }: Extract<Admission, { kind: 'admitted' }>,
): Promise<CallOutcome> {
  const startedAt = new Date();
  const outcome = await performCall(gateway, prepared).catch((error) => {
    if (callId) writeLater(gateway, () => giveUpCall(gateway, callId));
    throw error;
  });
  if (!callId) await insertFinishedCall(gateway.db, prepared.call, { inputHash, outcome, startedAt });
  else await write(gateway, () => finishCall(gateway.db, callId, outcome));
  return outcome;
}

async function write(gateway: Gateway, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    gateway.logger.warn({ error: String(error) }, 'what became of a call is not written down yet; trying again');
    writeLater(gateway, work);
  }
}

const WRITE_AGAIN_MS = 500;

function writeLater(gateway: Gateway, work: () => Promise<unknown>): void {
  const again = () =>
    write(gateway, work).catch((error) => gateway.logger.error({ err: error }, 'what became of a call was not written down'));
  setTimeout(again, WRITE_AGAIN_MS).unref();
}

/**
 * The outcome of a call that somebody else makes: now, when it ends, or EXECUTION_OUTCOME_UNKNOWN soon after the process that makes it was
 * lost (decision record 0022). A process that merely lost its database for a while writes the outcome down later, and then it is known.
 */
export async function outcomeOf(gateway: Gateway, call: RecordedCall, deadlineSeconds: number): Promise<CallOutcome> {
  const outcome = call.outcome ?? (await followCall(gateway, call.id, deadlineSeconds)) ?? (await giveUpCall(gateway, call.id));
  if (outcome) return outcome;
  throw new GatewayError(
    'EXECUTION_OUTCOME_UNKNOWN',
    'This call was started and its outcome was lost. Whether it took effect must be looked up at the third party; it is not tried again.',
    { callId: call.id },
  );
}

/** How often those who wait for a call look whether its process is still there. */
const LOOK_EVERY_MS = 1000;
/** A process whose connection broke takes its lock again within a moment of the database being there. */
const LOOKS_BEFORE_LOST = 3;
/** For writing the outcome down after the deadline of the action. */
const SLACK_MS = 5000;

/** Waits for the outcome of a call; undefined when it is unknown, when its process is gone, or when its time is long over. */
async function followCall(gateway: Gateway, callId: string, deadlineSeconds: number): Promise<CallOutcome | undefined> {
  let looksWithoutProcess = 0;
  for (;;) {
    const progress = await findCallProgress(gateway.db, callId);
    if (progress?.status !== 'executing') return progress?.outcome ?? undefined;
    looksWithoutProcess = progress.isAbandoned ? looksWithoutProcess + 1 : 0;
    const leftMs = deadlineSeconds * 1000 + SLACK_MS - progress.elapsedMs;
    if (looksWithoutProcess >= LOOKS_BEFORE_LOST || leftMs <= 0) return undefined;
    const find = async () => (await findCall(gateway.db, callId))?.outcome ?? undefined;
    const outcome = await gateway.notices.waitFor(CALL_FINISHED, callId, Math.min(LOOK_EVERY_MS, leftMs), find);
    if (outcome) return outcome;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { CallOutcome } from '../../domain/call.ts';
import { findCall, listAbandonedCallIds, listOrphanedCallIds, markCallUnknown } from '../../store/calls.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Marks the outcome of a call as unknown. Returns the outcome if it became known in the meantime.
 */
export async function giveUpCall(gateway: Gateway, callId: string): Promise<CallOutcome | undefined> {
  const lost = await gateway.db.transaction(async (tx) => {
    const marked = await markCallUnknown(tx, callId);
    if (marked) await recordActivity(tx, { ...marked, type: 'call.outcome_unknown', actor: { type: 'system', id: null }, callId });
    return marked;
  });
  return lost ? undefined : ((await findCall(gateway.db, callId))?.outcome ?? undefined);
}

/**
 * Gives up calls whose code run has finished and whose time limit is over. Returns their number, at
 * most `limit`.
 */
export async function giveUpOrphanedCalls(gateway: Gateway, limit: number): Promise<number> {
  const left = await listOrphanedCallIds(gateway.db, limit);
  for (const id of left) await giveUpCall(gateway, id);
  return left.length;
}

/** A process may need this time to reconnect and take its lock again. */
const SECOND_LOOK_MS = 2000;

/** Gives up calls whose process has ended. Returns their number, at most `limit`. */
export async function giveUpAbandonedCalls(gateway: Gateway, limit: number): Promise<number> {
  const missing = new Set(await listAbandonedCallIds(gateway.db, limit));
  if (missing.size === 0) return 0;
  await delay(SECOND_LOOK_MS);
  const abandoned = (await listAbandonedCallIds(gateway.db, limit)).filter((id) => missing.has(id));
  for (const id of abandoned) await giveUpCall(gateway, id);
  return abandoned.length;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { CallOutcome } from '../domain/call.ts';
import { findCall, listAbandonedCallIds, listLeftCallIds, markCallUnknown } from '../store/calls.ts';
import type { Gateway } from './gateway.ts';
import { recordActivity } from './record-activity.ts';

/** Says of a call that its outcome is unknown; answers the outcome where it became known at this very moment. */
export async function giveUpCall(gateway: Gateway, callId: string): Promise<CallOutcome | undefined> {
  const lost = await gateway.db.transaction(async (tx) => {
    const marked = await markCallUnknown(tx, callId);
    if (marked) await recordActivity(tx, { ...marked, type: 'call.outcome_unknown', actor: { type: 'system', id: null }, callId });
    return marked;
  });
  return lost ? undefined : ((await findCall(gateway.db, callId))?.outcome ?? undefined);
}

/** Says so of calls that ended code runs left under way; answers how many of at most `limit` there were. */
export async function giveUpLeftCalls(gateway: Gateway, limit: number): Promise<number> {
  const left = await listLeftCallIds(gateway.db, limit);
  for (const id of left) await giveUpCall(gateway, id);
  return left.length;
}

/** A process whose connection broke takes its lock again within a moment of the database being there. */
const SECOND_LOOK_MS = 2000;

/** Says so of calls whose process is gone and after which nobody asks; answers how many of at most `limit` there were. */
export async function giveUpAbandonedCalls(gateway: Gateway, limit: number): Promise<number> {
  const missing = new Set(await listAbandonedCallIds(gateway.db, limit));
  if (missing.size === 0) return 0;
  await delay(SECOND_LOOK_MS);
  const abandoned = (await listAbandonedCallIds(gateway.db, limit)).filter((id) => missing.has(id));
  for (const id of abandoned) await giveUpCall(gateway, id);
  return abandoned.length;
}

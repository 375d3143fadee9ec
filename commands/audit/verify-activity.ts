import type { Db } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import {
  findHead,
  type Head,
  listBeyondHead,
  listForeign,
  listRemovedUnsealed,
  listSealed,
  type SealedActivity,
} from '../../store/activity-chain.ts';
import { hashActivity } from './seal-activity.ts';

/** A problem of a chain, as a sentence without a full stop. */
export interface ChainProblem {
  position: number | null;
  id: number | null;
  problem: string;
}

/** A head that was noted outside the database. The chain must still contain it. */
export type NotedHead = { position: number; hash: string };

const PAGE = 1000;

/**
 * Checks the chain of an organization and returns its stored head. Only `noted` can show that the
 * whole chain was computed again.
 */
export async function verifyActivity(
  db: Db,
  orgId: string,
  report: (problem: ChainProblem) => void,
  noted?: NotedHead,
  signal?: AbortSignal,
): Promise<Head> {
  const head = await findHead(db, orgId);
  let previous: Head = { position: 0, hash: null };
  while (previous.position < head.position) {
    signal?.throwIfAborted();
    const page = await listSealed(db, orgId, { after: previous.position, upTo: head.position, limit: PAGE });
    for (const seal of page) {
      reportGap(previous.position, seal.position, report);
      const problem = differenceOf(orgId, previous, seal);
      if (problem) report({ position: seal.position, id: seal.activityId, problem });
      if (seal.position === noted?.position && seal.hash !== noted.hash) report(otherThanNoted(seal));
      previous = { position: seal.position, hash: seal.hash };
      await breathe();
    }
    if (page.length < PAGE) break;
  }
  reportGap(previous.position, head.position + 1, report);
  if (previous.position === head.position && previous.hash !== head.hash)
    report({ position: head.position, id: null, problem: 'the head of the chain has another hash' });
  if (noted && noted.position > head.position)
    report({ position: noted.position, id: null, problem: `the chain ends at ${head.position}, before the head that was noted` });
  await reportStrays(db, orgId, report);
  return head;
}

function reportGap(last: number, next: number, report: (problem: ChainProblem) => void): void {
  if (next === last + 1) return;
  const places = next === last + 2 ? `position ${last + 1} is` : `positions ${last + 1} to ${next - 1} are`;
  report({ position: last + 1, id: null, problem: `${places} missing` });
}

/** After a gap, the hash of a row cannot be checked. */
function differenceOf(orgId: string, previous: Head, { position, hash, activity }: SealedActivity): string | undefined {
  if (!activity) return 'the row is missing';
  if (activity.orgId !== orgId) return `the row belongs to the organization ${activity.orgId} now`;
  const fits = previous.position !== position - 1 || hashActivity(previous.hash, position, activity) === hash;
  return fits ? undefined : 'the hash does not fit: the row, its position or the previous hash was changed';
}

function otherThanNoted({ position, activityId }: SealedActivity): ChainProblem {
  return { position, id: activityId, problem: 'the hash is not the one that was noted: the chain was computed again' };
}

async function reportStrays(db: Db, orgId: string, report: (problem: ChainProblem) => void): Promise<void> {
  for (const stray of await listForeign(db, orgId)) report({ ...stray, problem: 'the row is in no chain: the service did not write it' });
  for (const stray of await listBeyondHead(db, orgId)) report({ ...stray, problem: 'the row lies beyond the head of the chain' });
  for (const stray of await listRemovedUnsealed(db, orgId)) report({ ...stray, problem: 'the row was removed before it was sealed' });
}

import type { Activity, Seal } from '../../domain/activity.ts';
import type { Db } from '../../infra/database.ts';
import { holdHead, listUnsealed, listUnsealedOrgIds, sealActivity as sealRows } from '../../store/activity-chain.ts';
import { hashJson } from '../calls/hash-call.ts';

const BATCH = 500;

/**
 * Adds new rows of the activity log to the hash chains (docs/audit.md). Returns the number of rows.
 * A chain that cannot be extended does not stop the others; the first error is thrown at the end.
 */
export async function sealActivity(db: Db, only?: string): Promise<number> {
  let sealed = 0;
  const errors: unknown[] = [];
  const orgIds = await listUnsealedOrgIds(db);
  for (const orgId of only === undefined ? orgIds : orgIds.filter((id) => id === only)) {
    try {
      for (let batch = await sealBatch(db, orgId); batch > 0; batch = await sealBatch(db, orgId)) sealed += batch;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return sealed;
}

async function sealBatch(db: Db, orgId: string): Promise<number> {
  return db.transaction(async (tx) => {
    const head = await holdHead(tx, orgId);
    const rows = await listUnsealed(tx, orgId, BATCH);
    if (rows.length > 0) await sealRows(tx, orgId, chain(head, rows));
    return rows.length;
  });
}

function chain({ position, hash }: { position: number; hash: string | null }, rows: readonly Activity[]): (Seal & { id: number })[] {
  let previous = hash;
  return rows.map((row, index) => {
    previous = hashActivity(previous, position + index + 1, row);
    return { id: row.id, position: position + index + 1, hash: previous };
  });
}

/** The hash of a row at its position (docs/audit.md). */
export function hashActivity(previous: string | null, position: number, row: Activity): string {
  return hashJson({ previous, position, ...row });
}

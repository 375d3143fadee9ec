import type { CustomChange, CustomIntegration, DetectedBy } from '../../domain/custom-integrations/custom-integration.ts';
import type { Db } from '../../infra/database.ts';
import {
  type ChangeKey,
  endChanges,
  insertChanges,
  listPendingChanges,
  listPendingKeys,
  listRejectedKeys,
} from '../../store/custom-changes.ts';
import type { CustomIntegrationChanges } from '../../store/custom-integrations.ts';
import { applyChanges } from './apply-change.ts';
import type { FoundChange } from './find-changes.ts';

export interface HeldChanges {
  /** All pending changes. After `acceptChanges`, the accepted changes. */
  changes: readonly CustomChange[];
  /** The number of changes that this refresh inserted. */
  foundCount: number;
  /** The fields to update in the record of the integration. */
  fields: CustomIntegrationChanges;
}

/**
 * Stores differences as pending changes. Pending changes whose difference is gone are superseded. A
 * difference whose last decision was a rejection is not stored again.
 */
export async function holdChanges(
  tx: Db,
  { id }: CustomIntegration,
  found: readonly FoundChange[],
  detectedBy: DetectedBy,
): Promise<HeldChanges> {
  const { fresh, gone } = await compareWithWaiting(tx, id, found);
  await endChanges(tx, gone, { status: 'superseded' });
  await insertChanges(
    tx,
    fresh.map((change) => ({ ...change, integrationId: id, detectedBy })),
    'pending',
  );
  return { changes: await listPendingChanges(tx, id), foundCount: fresh.length, fields: {} };
}

/**
 * `fresh`: differences that are neither pending nor rejected. `gone`: ids of pending changes whose
 * difference no longer exists.
 */
export async function compareWithWaiting(db: Db, id: string, found: readonly FoundChange[]) {
  const rejected = new Set((await listRejectedKeys(db, id)).map(keyOf));
  const pending = await listPendingKeys(db, id);
  const open = found.filter((change) => !rejected.has(keyOf(change)));
  const [wanted, waiting] = [new Set(open.map(keyOf)), new Set(pending.map(keyOf))];
  return {
    fresh: open.filter((change) => !waiting.has(keyOf(change))),
    gone: pending.filter((change) => !wanted.has(keyOf(change))).map((change) => change.id),
  };
}

/** Applies all changes immediately and records them as accepted. Pending changes are superseded. */
export async function acceptChanges(
  tx: Db,
  record: CustomIntegration,
  found: readonly FoundChange[],
  { detectedBy, acceptedBy }: { detectedBy: DetectedBy; acceptedBy: string },
): Promise<HeldChanges> {
  const pending = await listPendingKeys(tx, record.id);
  await endChanges(
    tx,
    pending.map(({ id }) => id),
    { status: 'superseded' },
  );
  const head = await applyChanges(tx, record, found);
  const changes = await insertChanges(
    tx,
    found.map((change) => ({ ...change, after: null, integrationId: record.id, detectedBy })),
    'accepted',
    acceptedBy,
  );
  return { changes, foundCount: found.length, fields: { head, version: record.version + found.length } };
}

function keyOf({ kind, actionName, afterHash }: ChangeKey): string {
  return JSON.stringify([kind, actionName, afterHash]);
}

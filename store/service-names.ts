import type { Db } from '../infra/database.ts';

/** The name of a custom integration that hides an integration of the service with that name. */
export interface HiddenName {
  orgId: string;
  name: string;
}

const LOCK = 'names of the service';

/**
 * Permanently reserves names for integrations of the service. Returns the custom integrations that
 * already have one of the names.
 */
export async function takeServiceNames(db: Db, names: readonly string[]): Promise<HiddenName[]> {
  const known = new Set((await db('service_names').select('name').whereIn('name', names)).map(({ name }) => name));
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) {
    await db.transaction(async (tx) => {
      await tx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [LOCK]);
      await tx('service_names')
        .insert(missing.map((name) => ({ name })))
        .onConflict('name')
        .ignore();
    });
  }
  return db('custom_integrations').select('org_id as orgId', 'name').whereIn('name', names);
}

/** Returns those of `names` that custom integrations of an organization have. */
export async function listOwnNames(db: Db, orgId: string, names: readonly string[]): Promise<{ name: string }[]> {
  return db('custom_integrations').select('name').where({ org_id: orgId }).whereIn('name', names);
}

/**
 * Returns true if the name is reserved for integrations of the service. Prevents reservations until
 * the transaction ends.
 */
export async function isServiceName(tx: Db, name: string): Promise<boolean> {
  await tx.raw('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', [LOCK]);
  return (await tx('service_names').select('name').where({ name }).first()) !== undefined;
}

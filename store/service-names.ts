import type { Db } from '../infra/database.ts';

/** An own integration whose name an integration of the service has, too. */
export interface HiddenName {
  orgId: string;
  name: string;
}

const LOCK = 'names of the service';

/**
 * Takes these names for integrations of the service, for all versions of the service and for good.
 * Answers the own integrations that had one of them before; no more will come.
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

/** Which of these names own integrations of an organization have. */
export async function listOwnNames(db: Db, orgId: string, names: readonly string[]): Promise<{ name: string }[]> {
  return db('custom_integrations').select('name').where({ org_id: orgId }).whereIn('name', names);
}

/**
 * Whether an integration of the service has or had this name. No process takes it until the
 * transaction ends.
 */
export async function isServiceName(tx: Db, name: string): Promise<boolean> {
  await tx.raw('select pg_advisory_xact_lock_shared(hashtextextended(?, 0))', [LOCK]);
  return (await tx('service_names').select('name').where({ name }).first()) !== undefined;
}

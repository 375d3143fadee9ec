import { type Db, runPrepared } from '../infra/database.ts';

export async function insertOrg(db: Db, name: string): Promise<{ id: string }> {
  const [row] = await db('orgs').insert({ name }).returning('id');
  return row;
}

export async function findOrg(db: Db, id: string): Promise<{ id: string; name: string } | undefined> {
  return db('orgs').select('id', 'name').where({ id }).first();
}

/** Finds the oldest organization. */
export async function findFirstOrg(db: Db): Promise<{ id: string; name: string } | undefined> {
  return db('orgs')
    .select('id', 'name')
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .first();
}

/** Finds an organization with the time of its creation. */
export async function findListedOrg(db: Db, id: string): Promise<{ id: string; name: string; createdAt: Date } | undefined> {
  return db('orgs').where({ id }).first({ id: 'id', name: 'name', createdAt: 'created_at' });
}

/** Renames an organization and returns its former name. */
export async function updateOrgName(db: Db, id: string, name: string): Promise<string> {
  const { name: former } = await db('orgs').where({ id }).forNoKeyUpdate().first('name');
  await db('orgs').where({ id }).update({ name });
  return former;
}

/** Returns the organization if there is exactly one, and otherwise undefined. */
export async function findOnlyOrg(db: Db): Promise<{ id: string } | undefined> {
  const [org, another] = await db('orgs').select('id').limit(2);
  return another ? undefined : org;
}

const POLICIES_VERSION = { name: 'policies-version', text: 'select policies_version as "policiesVersion" from orgs where id = $1' };

/** Every change of a policy raises this version. Returns 0 for an unknown organization. */
export async function readPoliciesVersion(db: Db, orgId: string): Promise<number> {
  const [row] = await runPrepared<{ policiesVersion: number }>(db, POLICIES_VERSION, [orgId]);
  return row?.policiesVersion ?? 0;
}

/**
 * Raises the version of the policies and returns it. Call this in the transaction of every change
 * of policies.
 */
export async function raisePoliciesVersion(db: Db, orgId: string): Promise<number> {
  const [row] = await db('orgs').where({ id: orgId }).increment('policies_version', 1).returning('policies_version as version');
  return row.version;
}

/** Takes the lock of an organization until the transaction ends. */
export async function lockOrg(db: Db, id: string): Promise<void> {
  await db('orgs').select('id').where({ id }).forNoKeyUpdate();
}

import { type Db, runPrepared } from '../infra/database.ts';

export async function insertOrg(db: Db, name: string): Promise<{ id: string }> {
  const [row] = await db('orgs').insert({ name }).returning('id');
  return row;
}

export async function findOrg(db: Db, id: string): Promise<{ id: string; name: string } | undefined> {
  return db('orgs').select('id', 'name').where({ id }).first();
}

/** The oldest organization, which commands use without --org. */
export async function findFirstOrg(db: Db): Promise<{ id: string; name: string } | undefined> {
  return db('orgs')
    .select('id', 'name')
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .first();
}

const POLICIES_VERSION = { name: 'policies-version', text: 'select policies_version as "policiesVersion" from orgs where id = $1' };

/**
 * Version of the organization's policies, which every change raises. The gate's cache is valid for
 * one version.
 */
export async function readPoliciesVersion(db: Db, orgId: string): Promise<number> {
  const [row] = await runPrepared<{ policiesVersion: number }>(db, POLICIES_VERSION, [orgId]);
  return row?.policiesVersion ?? 0;
}

/** Call this in the transaction of every change of policies. Returns the version that it makes. */
export async function raisePoliciesVersion(db: Db, orgId: string): Promise<number> {
  const [row] = await db('orgs').where({ id: orgId }).increment('policies_version', 1).returning('policies_version as version');
  return row.version;
}

/** Serializes the changes of one organization that take this lock, until the transaction ends. */
export async function lockOrg(db: Db, id: string): Promise<void> {
  await db('orgs').select('id').where({ id }).forNoKeyUpdate();
}

import { type Db, runPrepared } from '../infra/database.ts';

export async function insertOrg(db: Db, name: string): Promise<{ id: string }> {
  const [row] = await db('orgs').insert({ name }).returning('id');
  return row;
}

export async function findOrg(db: Db, id: string): Promise<{ id: string; name: string } | undefined> {
  return db('orgs').select('id', 'name').where({ id }).first();
}

/** The organization made first: the one that a command without --org means. */
export async function findFirstOrg(db: Db): Promise<{ id: string; name: string } | undefined> {
  return db('orgs')
    .select('id', 'name')
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .first();
}

const POLICIES_VERSION = { name: 'policies-version', text: 'select policies_version as "policiesVersion" from orgs where id = $1' };

/** A number that every change of the organization's policies raises; the gate's cache is good while it stands. */
export async function readPoliciesVersion(db: Db, orgId: string): Promise<number> {
  const [row] = await runPrepared<{ policiesVersion: number }>(db, POLICIES_VERSION, [orgId]);
  return row?.policiesVersion ?? 0;
}

/** To be called in the transaction of every change of policies. */
export async function raisePoliciesVersion(db: Db, orgId: string): Promise<void> {
  await db('orgs').where({ id: orgId }).increment('policies_version', 1);
}

/** Makes the changes of one organization that take this lock come one after another, until the transaction ends. */
export async function lockOrg(db: Db, id: string): Promise<void> {
  await db('orgs').select('id').where({ id }).forNoKeyUpdate();
}

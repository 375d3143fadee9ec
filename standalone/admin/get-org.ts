import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { findFirstOrg, findOrg } from '../../store/orgs.ts';

/** The organization with this id or, without an id, the oldest one. Throws SetupError. */
export async function getOrg(db: Db, id: string | undefined): Promise<{ id: string; name: string }> {
  const org = id === undefined ? await findFirstOrg(db) : await findOrg(db, id);
  if (org) return org;
  throw new SetupError(id === undefined ? 'There is no organization yet. Make one with create-org.' : `There is no organization ${id}.`);
}

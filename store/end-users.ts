import type { EndUser } from '../domain/end-user.ts';
import type { Db } from '../infra/database.ts';
import { columns } from './columns.ts';

const COLUMNS = columns<EndUser>(
  'id',
  'orgId',
  'workspaceId',
  'externalId',
  'displayName',
  'email',
  'metadata',
  'type',
  'createdAt',
  'updatedAt',
);

export async function findEndUserByExternalId(
  db: Db,
  orgId: string,
  workspaceId: string,
  externalId: string,
): Promise<EndUser | undefined> {
  return db('end_users').select(COLUMNS).where({ org_id: orgId, workspace_id: workspaceId, external_id: externalId }).first();
}

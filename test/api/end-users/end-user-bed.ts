import { randomUUID } from 'node:crypto';
import { createOrg } from '../../../commands/access/create-org.ts';
import type { Db } from '../../../infra/database.ts';
import type { Caller } from '../../support/caller.ts';
import type { Tenant } from '../../support/tenant.ts';
import type { ApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';

export const END_USERS = '/api/v1/end-users';

export interface EndUserRecord {
  id: string;
  workspaceId: string;
  externalId: string;
  [field: string]: unknown;
}

/** Creates an end user in the bed's workspace, by default with a random externalId. */
export async function anEndUser({ api, workspaceId }: { api: Caller; workspaceId: string }, fields: object = {}): Promise<EndUserRecord> {
  return (await api.must(201).post(END_USERS, { workspaceId, externalId: randomUUID(), ...fields })).endUser;
}

/** Inserts a connection of an end user. Returns the id of the connection. */
export async function aConnection(
  { db, orgId }: { db: Db; orgId: string },
  endUser: Pick<EndUserRecord, 'id' | 'workspaceId'>,
  fields: object = {},
): Promise<string> {
  const [row] = await db('connections')
    .insert({
      org_id: orgId,
      workspace_id: endUser.workspaceId,
      end_user_id: endUser.id,
      external_id: randomUUID(),
      display_name: 'Account',
      integration_name: 'mail',
      auth_method_key: 'token',
      type: 'SECRET_TEXT',
      scope: 'USER',
      sealed_credentials: Buffer.from('sealed'),
      ...fields,
    })
    .returning('id');
  return row.id;
}

/** Creates another organization on the bed's API. */
export async function aStranger({ gateway, apiUrl }: ApiBed): Promise<Tenant> {
  const org = await createOrg(gateway, 'Strangers');
  return { ...org, apiUrl, api: checkedCaller(apiUrl, org.plainKey) };
}

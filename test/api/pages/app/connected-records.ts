import type { ApiBed } from '../../api-bed.ts';

/** The ids of a person and two connected accounts in a workspace. */
export interface ConnectedRecords {
  personId: string;
  /** The person's own account. */
  connectionId: string;
  /** The alias of an integration whose account serves everybody. */
  alias: string;
  sharedConnectionId: string;
}

/** Creates a person with an account, and an integration with another account. */
export async function connectedRecords({ api, workspaceId }: Pick<ApiBed, 'api' | 'workspaceId'>, name = 'Ada'): Promise<ConnectedRecords> {
  const made = api.must(201);
  const { endUser } = await made.post('/api/v1/end-users', { workspaceId, externalId: `id of ${name}`, displayName: name });
  const account = { integrationName: 'mail', authMethodKey: 'token', type: 'SECRET_TEXT', secretText: 'not to be shown', workspaceId };
  const own = { ...account, scope: 'USER', endUserId: endUser.externalId, externalId: 'own', displayName: `Mail of ${name}` };
  const shared = { ...account, scope: 'WORKSPACE', externalId: 'shared', displayName: `Mail for all of ${name}` };
  const { connection } = await made.post('/api/v1/connections', own);
  const { connection: forAll } = await made.post('/api/v1/connections', shared);
  const instance = { integrationName: 'mail', alias: 'post', displayName: `Post of ${name}`, connectionId: forAll.id };
  const { integration } = await made.post(`/api/v1/workspaces/${workspaceId}/integrations`, instance);
  return { personId: endUser.id, connectionId: connection.id, alias: integration.alias, sharedConnectionId: forAll.id };
}

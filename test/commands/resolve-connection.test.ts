import { type ConnectionRequest, resolveConnection } from '../../commands/resolve-connection.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';

let bed: ApiBed;
const made: Record<string, string> = {};
beforeAll(async () => {
  bed = await openApiBed();
  const { workspaceId } = bed;
  const accounts = { shared: { scope: 'WORKSPACE' }, adas: { endUserId: 'ada' }, bobs: { endUserId: 'bob' } };
  for (const [externalId, whose] of Object.entries(accounts)) {
    const body = { integrationName: 'mail', externalId, type: 'SECRET_TEXT', secretText: 'x', workspaceId, ...whose };
    made[externalId] = (await bed.api.must(201).post('/api/v1/connections', body)).connection.id;
  }
});
afterAll(() => bed?.close());

type Strategy = NonNullable<ConnectionRequest['instance']>['connectionStrategy'];

/** The external id of the account that a tool with this connection acts with. */
async function accountOf(tool: string, endUserId: string | null, connectionStrategy: Strategy | null): Promise<string> {
  const { orgId, workspaceId, gateway } = bed;
  const found = await resolveConnection(gateway, {
    ...{ orgId, workspaceId, endUserId, integration: gateway.catalog.get('mail'), toolConnectionId: made[tool] },
    instance: connectionStrategy && { id: '00000000-0000-4000-8000-000000000000', alias: 'mail', connectionStrategy, connectionId: null },
  });
  return found!.externalId;
}

describe('the connection that a tool names', () => {
  test.each([null, 'fixed', 'per_user_with_fallback'] as const)(
    'where the strategy is %s, a shared one serves everybody',
    async (strategy) => {
      expect(await accountOf('shared', 'ada', strategy)).toBe('shared');
      expect(await accountOf('shared', null, strategy)).toBe('shared');
    },
  );

  test.each([null, 'fixed', 'per_user', 'per_user_with_fallback'] as const)(
    "where the strategy is %s, an end user's own serves this end user alone",
    async (strategy) => {
      expect(await accountOf('adas', 'ada', strategy)).toBe('adas');
      for (const other of ['bob', null])
        await expect(accountOf('adas', other, strategy)).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED' });
    },
  );

  test('where each end user acts with an account of their own, a shared one serves nobody', async () => {
    for (const endUserId of ['ada', null])
      await expect(accountOf('shared', endUserId, 'per_user')).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED' });
  });
});

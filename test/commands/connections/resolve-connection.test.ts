import { type ConnectionRequest, resolveConnection } from '../../../commands/connections/resolve-connection.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

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

async function accountOf(tool: string, endUserId: string | null, connectionStrategy: Strategy | null): Promise<string> {
  const { orgId, workspaceId, gateway } = bed;
  const found = await resolveConnection(gateway, {
    ...{ orgId, workspaceId, endUserId, integration: gateway.catalog.builtIn.get('mail'), toolConnectionId: made[tool] },
    instance: connectionStrategy && { id: '00000000-0000-4000-8000-000000000000', alias: 'mail', connectionStrategy, connectionId: null },
  });
  return found!.externalId;
}

const REFUSED = {
  code: 'CONNECTION_REQUIRED',
  message: 'The tool of mail names a connection that this call cannot use. Change the connection of the tool.',
};

describe('a shared account of an unconfigured integration', () => {
  const reason = 'The third party refused the credentials.';
  const set = (externalId: string, fields: object) =>
    bed.patient('connections').where({ org_id: bed.orgId, external_id: externalId }).update(fields);
  const find = () => accountOf('none', null, null);
  beforeAll(async () => {
    const body = { integrationName: 'mail', externalId: 'second', type: 'SECRET_TEXT', secretText: 'x', workspaceId: bed.workspaceId };
    await bed.api.must(201).post('/api/v1/connections', { ...body, scope: 'WORKSPACE' });
  });
  afterAll(() => bed.patient('connections').where({ org_id: bed.orgId, external_id: 'second' }).delete());

  test('is used if it is the only active one', async () => {
    await expect(find()).rejects.toMatchObject({ code: 'CONNECTION_REQUIRED', message: expect.stringContaining('There are several') });
    await set('shared', { status: 'ERROR', status_reason: reason });
    expect(await find()).toBe('second');
  });

  test('is not used if it is broken, and the error says why', async () => {
    await set('second', { status: 'REVOKED' });
    await expect(find()).rejects.toMatchObject({
      code: 'CONNECTION_REQUIRED',
      message: `The account "shared" has to be connected again: ${reason}`,
    });
    await set('shared', { status: 'ACTIVE', status_reason: null });
    expect(await find()).toBe('shared');
  });
});

describe('the connection of a tool', () => {
  test.each([null, 'fixed', 'per_user_with_fallback'] as const)(
    'under the strategy %s serves every end user if it is shared',
    async (strategy) => {
      expect(await accountOf('shared', 'ada', strategy)).toBe('shared');
      expect(await accountOf('shared', null, strategy)).toBe('shared');
    },
  );

  test.each([null, 'fixed', 'per_user', 'per_user_with_fallback'] as const)(
    'under the strategy %s serves only its own end user if it belongs to one',
    async (strategy) => {
      expect(await accountOf('adas', 'ada', strategy)).toBe('adas');
      for (const other of ['bob', null]) await expect(accountOf('adas', other, strategy)).rejects.toMatchObject(REFUSED);
    },
  );

  test('under the strategy per_user is refused if it is shared', async () => {
    for (const endUserId of ['ada', null]) await expect(accountOf('shared', endUserId, 'per_user')).rejects.toMatchObject(REFUSED);
  });
});

import { aWorkspace, checkedTenant } from '../checked-caller.ts';

type Checked = Awaited<ReturnType<typeof checkedTenant>>;
const pathOf = ({ workspaceId }: Pick<Checked, 'workspaceId'>) => `/api/v1/workspaces/${workspaceId}/integrations`;

test('a configured integration has the specified defaults', async () => {
  const tenant = await checkedTenant();
  const { integration } = await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'kv-store' });
  expect(integration).toMatchObject({
    workspaceId: tenant.workspaceId,
    orgId: tenant.orgId,
    integrationName: 'kv-store',
    alias: 'kv-store',
    displayName: null,
    connectionStrategy: 'fixed',
    connectionId: null,
    enabledActions: null,
    settings: {},
    sortOrder: 0,
  });
  expect(await tenant.api.must(200).get(pathOf(tenant))).toEqual({
    integrations: [{ ...integration, connectionStatus: null, connectionDisplayName: null, connectionExternalId: null }],
    total: 1,
  });
});

test('PATCH changes the given fields, null clears optional fields, and absent fields stay unchanged', async () => {
  const tenant = await checkedTenant();
  const { integration } = await tenant.api.must(201).post(pathOf(tenant), {
    integrationName: 'kv-store',
    alias: 'notes',
    displayName: 'Notes',
    enabledActions: ['get'],
    connectionStrategy: 'per_user',
    settings: { persistence: { scope: 'external', externalId: 'shared' } },
    sortOrder: 1.5,
  });
  const path = `${pathOf(tenant)}/${integration.id}`;
  const changed = (await tenant.api.must(200).patch(path, { alias: 'notes-2', connectionStrategy: 'per_user_with_fallback' })).integration;
  expect(changed).toEqual({ ...integration, alias: 'notes-2', connectionStrategy: 'per_user_with_fallback', updatedAt: changed.updatedAt });
  const cleared = (await tenant.api.must(200).patch(path, { displayName: null, enabledActions: null, settings: null, connectionId: null }))
    .integration;
  expect(cleared).toMatchObject({
    alias: 'notes-2',
    displayName: null,
    enabledActions: null,
    settings: {},
    connectionId: null,
    sortOrder: 1.5,
  });
});

test('PATCH without a field answers NO_UPDATES, even without a body', async () => {
  const tenant = await checkedTenant();
  const { integration } = await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'datetime' });
  for (const body of [undefined, {}])
    expect(await tenant.api.patch(`${pathOf(tenant)}/${integration.id}`, body)).toMatchObject({
      status: 400,
      body: { code: 'NO_UPDATES' },
    });
});

test('an alias is unique within its workspace, even under ten concurrent requests', async () => {
  const tenant = await checkedTenant();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => tenant.api.post(pathOf(tenant), { integrationName: 'datetime', alias: 'clock' })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'DUPLICATE')).toHaveLength(9);
  const { integration } = await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'datetime' });
  expect(await tenant.api.patch(`${pathOf(tenant)}/${integration.id}`, { alias: 'clock' })).toMatchObject({
    status: 409,
    body: { code: 'DUPLICATE' },
  });
  const elsewhere = { workspaceId: await aWorkspace(tenant, 'elsewhere') };
  await tenant.api.must(201).post(pathOf(elsewhere), { integrationName: 'kv-store', alias: 'clock' });
});

test.each([
  ['a', 201],
  ['a-b_9', 201],
  ['x'.repeat(64), 201],
  ['x'.repeat(65), 400],
  ['', 400],
  ['9a', 400],
  ['Abc', 400],
  ['a b', 400],
  ['_a', 400],
  ['a\n', 400],
])('the alias %j answers status %i', async (alias, status) => {
  const tenant = await checkedTenant();
  expect((await tenant.api.post(pathOf(tenant), { integrationName: 'datetime', alias })).status).toBe(status);
});

test.each([
  ['no integrationName', {}, ['integrationName']],
  ['an unknown strategy', { integrationName: 'datetime', connectionStrategy: 'magic' }, ['connectionStrategy']],
  ['null for enabledActions on create', { integrationName: 'datetime', enabledActions: null }, ['enabledActions']],
  [
    'unknown actions',
    { integrationName: 'datetime', enabledActions: ['parse_date', 'fly', 'swim'] },
    ['enabledActions.1', 'enabledActions.2'],
  ],
  [
    'persistence for an integration without state',
    { integrationName: 'datetime', settings: { persistence: { scope: 'workspace' } } },
    ['settings.persistence'],
  ],
  [
    'advancedCode for an integration that runs no code',
    { integrationName: 'kv-store', settings: { advancedCode: { timeoutSeconds: 5 } } },
    ['settings.advancedCode'],
  ],
  ['an unknown scope', { integrationName: 'kv-store', settings: { persistence: { scope: 'galaxy' } } }, ['settings.persistence.scope']],
  [
    'external without externalId',
    { integrationName: 'kv-store', settings: { persistence: { scope: 'external' } } },
    ['settings.persistence.externalId'],
  ],
  ['an unknown setting', { integrationName: 'kv-store', settings: { colour: 'red' } }, ['settings.colour']],
  [
    'timeoutSeconds 0',
    { integrationName: 'kv-store', settings: { advancedCode: { timeoutSeconds: 0 } } },
    ['settings.advancedCode.timeoutSeconds'],
  ],
  [
    'timeoutSeconds 301',
    { integrationName: 'kv-store', settings: { advancedCode: { timeoutSeconds: 301 } } },
    ['settings.advancedCode.timeoutSeconds'],
  ],
  [
    'an external mount without storageExternalId',
    { integrationName: 'kv-store', settings: { advancedCode: { storageMountScope: 'external' } } },
    ['settings.advancedCode.storageExternalId'],
  ],
  ['a malformed connection', { integrationName: 'datetime', connectionId: 'x' }, ['connectionId']],
])('%s is refused', async (_, body, paths) => {
  const tenant = await checkedTenant();
  const answer = await tenant.api.post(pathOf(tenant), body);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
});

test('an unknown integration and an unknown connection each have their own error code', async () => {
  const tenant = await checkedTenant();
  expect(await tenant.api.post(pathOf(tenant), { integrationName: 'no such' })).toMatchObject({
    status: 404,
    body: { code: 'INTEGRATION_NOT_FOUND' },
  });
  const connectionId = '00000000-0000-4000-8000-000000000000';
  expect(await tenant.api.post(pathOf(tenant), { integrationName: 'datetime', connectionId })).toMatchObject({
    status: 404,
    body: { code: 'CONNECTION_NOT_FOUND' },
  });
  const { integration } = await tenant.api.must(201).post(pathOf(tenant), { integrationName: 'datetime' });
  expect(await tenant.api.patch(`${pathOf(tenant)}/${integration.id}`, { connectionId })).toMatchObject({
    status: 404,
    body: { code: 'CONNECTION_NOT_FOUND' },
  });
});

test('an id from another workspace of the same organization is not found', async () => {
  const tenant = await checkedTenant();
  const elsewhere = { workspaceId: await aWorkspace(tenant, 'elsewhere') };
  const { integration } = await tenant.api.must(201).post(pathOf(elsewhere), { integrationName: 'datetime' });
  expect(await tenant.api.patch(`${pathOf(tenant)}/${integration.id}`, { sortOrder: 2 })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect(await tenant.api.delete(`${pathOf(tenant)}/${integration.id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

import { setTimeout as delay } from 'node:timers/promises';
import { patientDatabase } from '../../support/patient-database.ts';
import { system } from '../../support/system.ts';
import { aServer } from '../../support/tenant.ts';
import { aWorkspace, checkedTenant, withWorkspaceKey } from '../checked-caller.ts';

const WORKSPACES = '/api/v1/workspaces';

test('a workspace can be created, read, renamed and deleted', async () => {
  const { api, orgId } = await checkedTenant();
  const { workspace } = await api.must(201).post(WORKSPACES, { name: 'Sales', slug: 'sales' });
  expect(workspace).toMatchObject({ orgId, name: 'Sales', slug: 'sales' });
  expect(await api.must(200).get(`${WORKSPACES}/${workspace.id}`)).toEqual({ workspace });
  const renamed = await api.must(200).patch(`${WORKSPACES}/${workspace.id}`, { slug: 'sales-2' });
  expect(renamed.workspace).toMatchObject({ name: 'Sales', slug: 'sales-2' });
  expect(await api.must(200).delete(`${WORKSPACES}/${workspace.id}`)).toEqual({ deleted: true, id: workspace.id });
  expect((await api.get(`${WORKSPACES}/${workspace.id}`)).status).toBe(404);
  expect((await api.delete(`${WORKSPACES}/${workspace.id}`)).status).toBe(404);
});

test('an id in upper case is accepted as the same id', async () => {
  const { api, workspaceId } = await checkedTenant();
  expect((await api.must(200).get(`${WORKSPACES}/${workspaceId.toUpperCase()}`)).workspace.id).toBe(workspaceId);
});

test('a slug is unique within its organization, even under twenty concurrent requests', async () => {
  const [tenant, other] = await Promise.all([checkedTenant(), checkedTenant()]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.api.post(WORKSPACES, { name: 'x', slug: 'wanted' })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'DUPLICATE')).toHaveLength(19);
  await aWorkspace(other, 'wanted');
  const second = await aWorkspace(tenant, 'second');
  expect(await tenant.api.patch(`${WORKSPACES}/${second}`, { slug: 'wanted' })).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  expect((await tenant.api.patch(`${WORKSPACES}/${second}`, { slug: 'second' })).status).toBe(200);
});

test.each([
  ['a', 201],
  ['0-x', 201],
  ['x'.repeat(64), 201],
  ['x'.repeat(65), 400],
  ['', 400],
  ['-x', 400],
  ['Upper', 400],
  ['a_b', 400],
  ['a\n', 400],
])('the slug %j answers status %i', async (slug, status) => {
  const { api } = await checkedTenant();
  expect((await api.post(WORKSPACES, { name: 'x', slug })).status).toBe(status);
});

test('creating a workspace requires name and slug; changing a workspace requires name or slug', async () => {
  const { api, workspaceId } = await checkedTenant();
  const { body } = await api.post(WORKSPACES, {});
  expect(body.details.issues.map(({ path }: { path: string }) => path)).toEqual(['name', 'slug']);
  for (const changes of [{}, { name: null }, { id: workspaceId }]) {
    expect(await api.patch(`${WORKSPACES}/${workspaceId}`, changes)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  }
});

test('workspaces are listed in pages with the exact total', async () => {
  const tenant = await checkedTenant();
  for (const slug of ['b', 'c']) await aWorkspace(tenant, slug);
  const page = await tenant.api.must(200).get(`${WORKSPACES}?limit=1&offset=1`);
  expect([page.workspaces[0].slug, page.workspaces.length, page.total]).toEqual(['b', 1, 3]);
});

describe('deleting a workspace', () => {
  const execute = { integrationName: 'kv-store', actionName: 'put', input: { key: 'a', value: 1 }, endUserId: 'u1' };

  test('deletes the workspace’s records, cancels pending approvals, and keeps the history for org-wide keys', async () => {
    const tenant = await checkedTenant();
    const { api } = tenant;
    const workspaceId = await aWorkspace(tenant, 'doomed');
    const local = await withWorkspaceKey(tenant, [workspaceId, tenant.workspaceId]);
    await api.must(201).post(`${WORKSPACES}/${workspaceId}/integrations`, { integrationName: 'kv-store' });
    const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 's', workspaceId });
    const { policy } = await api.must(200).post('/api/v1/approval-policies', { name: 'p', workspaceId });
    const { approval } = await api.must(202).post('/api/v1/actions/execute', { ...execute, workspaceId });

    await api.must(200).delete(`${WORKSPACES}/${workspaceId}`);

    expect((await api.get(`/api/v1/mcp/servers/${server.id}`)).status).toBe(404);
    expect((await api.get(`/api/v1/approval-policies/${policy.id}`)).status).toBe(404);
    const history = await api.must(200).get(`/api/v1/approvals/${approval.id}`);
    expect(history.approval).toMatchObject({
      status: 'canceled',
      decidedByType: 'system',
      decisionReason: 'The workspace was deleted.',
      workspaceId,
    });
    expect((await api.must(200).get(`/api/v1/approvals?workspaceId=${workspaceId}`)).total).toBe(1);
    expect(await local.get(`/api/v1/approvals/${approval.id}`)).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
    expect((await local.must(200).get('/api/v1/approvals')).total).toBe(0);
    expect(await api.post(`/api/v1/approvals/${approval.id}/approve`)).toMatchObject({
      status: 409,
      body: { code: 'APPROVAL_ALREADY_DECIDED', details: { status: 'canceled' } },
    });
    expect(await api.post('/api/v1/actions/execute', { ...execute, workspaceId })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  test('ends the workspace’s waiting code runs', async () => {
    const tenant = await checkedTenant();
    const { id } = await aServer(tenant, 'CODE', ['kv-store']);
    await tenant.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first' });
    const code = 'return await svc.kv_store.put({ key: "a", value: 1 });';
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
    expect(structuredContent.status).toBe('approval_required');
    await tenant.api.must(200).delete(`${WORKSPACES}/${tenant.workspaceId}`);

    const db = patientDatabase((await system()).databaseUrl);
    try {
      const status = async () => (await db('code_runs').where({ workspace_id: tenant.workspaceId }).first('status')).status;
      while ((await status()) !== 'canceled') await delay(50);
    } finally {
      await db.destroy();
    }
  });

  test('leaves no record behind, and concurrent requests that create records get no 5xx', async () => {
    const tenant = await checkedTenant();
    for (let round = 0; round < 5; round += 1) {
      const workspaceId = await aWorkspace(tenant, `doomed-${round}`);
      const answers = await Promise.all([
        tenant.api.post('/api/v1/mcp/servers', { name: 's', workspaceId }),
        tenant.api.post(`${WORKSPACES}/${workspaceId}/integrations`, { integrationName: 'datetime' }),
        tenant.api.delete(`${WORKSPACES}/${workspaceId}`),
        tenant.api.post('/api/v1/approval-policies', { name: 'p', workspaceId }),
        tenant.api.post('/api/v1/mcp/servers', { name: 's', workspaceId }),
        tenant.api.delete(`${WORKSPACES}/${workspaceId}`),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
      expect([answers[2], answers[5]].filter((answer) => answer?.status === 200)).toHaveLength(1);
    }
    expect((await tenant.api.must(200).get('/api/v1/mcp/servers')).total).toBe(0);
    expect((await tenant.api.must(200).get('/api/v1/approval-policies')).total).toBe(0);
  });
});

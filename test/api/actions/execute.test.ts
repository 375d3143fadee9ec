import { aPolicy } from '../../support/tenant.ts';
import { aWorkspace, checkedTenant, withKey } from '../checked-caller.ts';

type Checked = Awaited<ReturnType<typeof checkedTenant>>;
const EXECUTE = '/api/v1/actions/execute';

async function aStore(fields: object = {}) {
  const tenant = await checkedTenant();
  const { integration } = await tenant.api.must(201).post(`/api/v1/workspaces/${tenant.workspaceId}/integrations`, {
    integrationName: 'kv-store',
    settings: { persistence: { scope: 'workspace' } },
    ...fields,
  });
  return { ...tenant, integrationId: integration.id as string };
}

function put({ workspaceId }: Pick<Checked, 'workspaceId'>, value: unknown, fields: object = {}) {
  return { workspaceId, integrationName: 'kv-store', actionName: 'put', input: { key: 'k', value }, ...fields };
}

function distinctAnswers(answers: { status: number; body: { output?: unknown; code?: string; status?: string } }[]): string[] {
  return [...new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body.output ?? body.code ?? body.status)}`))];
}

async function stored({ api, workspaceId }: Checked): Promise<unknown> {
  return (await api.must(200).post(EXECUTE, { workspaceId, integrationName: 'kv-store', actionName: 'get', input: { key: 'k' } })).output
    .value;
}

test('an executed action answers its output and its duration in milliseconds', async () => {
  const tenant = await aStore();
  const answer = await tenant.api.must(200).post(EXECUTE, put(tenant, { nested: [1, 'ü', null] }));
  expect(answer).toEqual({ success: true, output: expect.any(Object), duration: expect.any(Number) });
  expect(await stored(tenant)).toEqual({ nested: [1, 'ü', null] });
});

test('an integration that the workspace has not configured runs with defaults', async () => {
  const { api, workspaceId } = await checkedTenant();
  const input = { text: 'abc', algorithm: 'sha256', encoding: 'hex' };
  const { output } = await api.must(200).post(EXECUTE, { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input });
  expect(Object.values(output)).toContain('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('if a workspace has two instances of an integration, a request must name one by id or alias', async () => {
  const tenant = await aStore();
  const { api, workspaceId, integrationId } = tenant;
  const path = `/api/v1/workspaces/${workspaceId}/integrations`;
  await api
    .must(201)
    .post(path, { integrationName: 'kv-store', alias: 'private', settings: { persistence: { scope: 'external', externalId: 'p' } } });
  expect(await api.post(EXECUTE, put(tenant, 1))).toMatchObject({
    status: 409,
    body: { code: 'AMBIGUOUS_INTEGRATION', details: { aliases: ['kv-store', 'private'] } },
  });
  await api.must(200).post(EXECUTE, put(tenant, 'by id', { workspaceIntegrationId: integrationId }));
  await api.must(200).post(EXECUTE, put(tenant, 'by alias', { integrationAlias: 'private' }));
  const get = async (integrationAlias: string) =>
    (
      await api
        .must(200)
        .post(EXECUTE, { workspaceId, integrationName: 'kv-store', actionName: 'get', integrationAlias, input: { key: 'k' } })
    ).output.value;
  expect([await get('kv-store'), await get('private')]).toEqual(['by id', 'by alias']);
  for (const target of [{ integrationAlias: 'none' }, { workspaceIntegrationId: '11111111-1111-1111-1111-111111111111' }]) {
    expect(await api.post(EXECUTE, put(tenant, 1, target))).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
  expect(await api.post(EXECUTE, put(tenant, 1, { workspaceIntegrationId: integrationId, integrationAlias: 'private' }))).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test.each([
  ['an unknown integration', { integrationName: 'none' }, 404, 'INTEGRATION_NOT_FOUND'],
  ['an unknown action', { actionName: 'none' }, 404, 'ACTION_NOT_FOUND'],
  ['an action that is not enabled', { actionName: 'delete', input: { key: 'k' } }, 403, 'ACTION_NOT_ALLOWED'],
  ['a connection for an action that needs none', { connectionExternalId: 'mine' }, 404, 'CONNECTION_NOT_FOUND'],
  ['an unknown partial', { partialIds: ['mine'] }, 404, 'PARTIAL_NOT_FOUND'],
  ['an unknown workspace', { workspaceId: '11111111-1111-1111-1111-111111111111' }, 404, 'NOT_FOUND'],
  ['input that the action refuses', { input: { key: 'k', value: 1, colour: 'red' } }, 400, 'VALIDATION_ERROR'],
  ['input that is no object', { input: [] }, 400, 'VALIDATION_ERROR'],
  ['an unknown field', { source: 'mcp_tools' }, 400, 'VALIDATION_ERROR'],
  ['an idempotency key of 256 characters', { idempotencyKey: 'x'.repeat(256) }, 400, 'VALIDATION_ERROR'],
  ['an empty idempotency key', { idempotencyKey: '' }, 400, 'VALIDATION_ERROR'],
  ['an end user with a lone surrogate', { endUserId: '\ud800' }, 400, 'VALIDATION_ERROR'],
  ['an idempotency key with a lone surrogate', { idempotencyKey: '\ud800' }, 400, 'VALIDATION_ERROR'],
  ['input with a lone surrogate', { input: { key: 'k', value: '\ud800' } }, 400, 'VALIDATION_ERROR'],
  ['an end user with NUL', { endUserId: 'a\0b' }, 400, 'VALIDATION_ERROR'],
  ['an idempotency key with NUL', { idempotencyKey: 'a\0b' }, 400, 'VALIDATION_ERROR'],
  ['a failure of the action', { actionName: 'add_to_list', input: { key: 'k', value: 1 } }, 400, 'ACTION_FAILED'],
])('%s answers %i %s', async (_, fields, status, code) => {
  const tenant = await aStore({ enabledActions: ['put', 'get', 'add_to_list'] });
  await tenant.api.must(200).post(EXECUTE, put(tenant, 'no list'));
  const answer = await tenant.api.post(EXECUTE, put(tenant, 1, fields));
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});

test('a refusal lists all invalid keys of the input', async () => {
  const tenant = await aStore();
  const { body } = await tenant.api.post(EXECUTE, put(tenant, 1, { input: { colour: 'red' } }));
  expect(body.details.issues.map(({ path }: { path: string }) => path)).toEqual(expect.arrayContaining(['input.key', 'input.colour']));
});

test('state per end user requires an end user; two end users have separate state', async () => {
  const tenant = await aStore({ settings: {} });
  const { api } = tenant;
  const { status, body } = await api.post(EXECUTE, put(tenant, 1));
  expect([status, body.code]).toEqual([400, 'END_USER_REQUIRED']);
  expect(body.error).toMatch(/endUserId.*settings\.persistence\.scope/);
  await api.must(200).post(EXECUTE, put(tenant, 'of ada', { endUserId: 'ada' }));
  const get = { workspaceId: tenant.workspaceId, integrationName: 'kv-store', actionName: 'get', input: { key: 'k' } };
  expect((await api.must(200).post(EXECUTE, { ...get, endUserId: 'ada' })).output.value).toBe('of ada');
  expect(JSON.stringify(await api.post(EXECUTE, { ...get, endUserId: 'bob' }))).not.toContain('of ada');
});

test('a caller can claim the source sdk, but not mcp_tools', async () => {
  const tenant = await aStore();
  await aPolicy(tenant, { sources: ['sdk'] });
  await tenant.api.must(200).post(EXECUTE, put(tenant, 1));
  await tenant.api.must(200).post(EXECUTE, put(tenant, 2), { 'x-svc-source': 'mcp_tools' });
  await tenant.api.must(202).post(EXECUTE, put(tenant, 3), { 'x-svc-source': 'sdk' });
});

test('a blocked action is refused and is not listed as an approval', async () => {
  const tenant = await aStore();
  const policy = await aPolicy(tenant, { decision: 'block', actionNames: ['put'] });
  expect(await tenant.api.post(EXECUTE, put(tenant, 1))).toMatchObject({
    status: 403,
    body: { code: 'APPROVAL_POLICY_BLOCKED', details: { policyId: policy.id } },
  });
  expect((await tenant.api.must(200).get('/api/v1/approvals')).total).toBe(0);
});

describe('a call that needs approval', () => {
  test('answers 202 with an approval, and the same call gets the same approval', async () => {
    const tenant = await aStore();
    const policy = await aPolicy(tenant, {});
    const first = await tenant.api.must(202).post(EXECUTE, put(tenant, 1));
    expect(first).toEqual({
      success: false,
      status: 'approval_required',
      approval: {
        id: expect.stringMatching(/^apr_/),
        policyId: policy.id,
        status: 'pending',
        approvalAccessMode: 'dashboard_and_hosted_link',
        approvalUrl: expect.any(String),
        hostedApprovalUrl: expect.any(String),
        expiresAt: expect.any(String),
        retry: { idempotencyKey: expect.any(String) },
      },
    });
    const again = await Promise.all(Array.from({ length: 20 }, () => tenant.api.must(202).post(EXECUTE, put(tenant, 1))));
    expect(new Set(again.map(({ approval }) => approval.id))).toEqual(new Set([first.approval.id]));
    expect((await tenant.api.must(202).post(EXECUTE, put(tenant, 2))).approval.id).not.toBe(first.approval.id);
  });

  test('runs once after its approval; concurrent retries all get the same outcome', async () => {
    const tenant = await aStore();
    await aPolicy(tenant, { actionNames: ['add_to_list'] });
    const call = {
      workspaceId: tenant.workspaceId,
      integrationName: 'kv-store',
      actionName: 'add_to_list',
      input: { key: 'k', value: 'once' },
    };
    const { approval } = await tenant.api.must(202).post(EXECUTE, call);
    await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
    const retry = { ...call, ...approval.retry };
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.api.post(EXECUTE, retry)));
    expect(distinctAnswers(answers)).toEqual(['200 {"key":"k","length":1}']);
    expect(await stored(tenant)).toEqual(['once']);
    expect((await tenant.api.must(200).post(EXECUTE, retry)).output).toEqual(answers[0]!.body.output);
    expect((await tenant.api.must(202).post(EXECUTE, call)).approval.id).not.toBe(approval.id);
  });

  test('is admitted only if it equals the approved call', async () => {
    const tenant = await aStore();
    await aPolicy(tenant, {});
    const { approval } = await tenant.api.must(202).post(EXECUTE, put(tenant, 'small'));
    await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
    expect((await tenant.api.must(202).post(EXECUTE, put(tenant, 'large'))).approval.id).not.toBe(approval.id);
    expect((await tenant.api.must(202).post(EXECUTE, put(tenant, 'small', { endUserId: 'ada' }))).approval.id).not.toBe(approval.id);
    await tenant.api.must(202).post(EXECUTE, put(tenant, 'small'), { 'x-svc-source': 'sdk' });
    await tenant.api.must(200).post(EXECUTE, put(tenant, 'small'));
  });

  test('conflicts if its idempotency key belongs to a different pending call', async () => {
    const tenant = await aStore();
    await aPolicy(tenant, {});
    await tenant.api.must(202).post(EXECUTE, put(tenant, 1, { idempotencyKey: 'mine' }));
    expect(await tenant.api.post(EXECUTE, put(tenant, 2, { idempotencyKey: 'mine' }))).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    });
  });
});

describe('an idempotency key', () => {
  const append = ({ workspaceId }: Checked, value: string, idempotencyKey: string) => ({
    workspaceId,
    integrationName: 'kv-store',
    actionName: 'add_to_list',
    input: { key: 'k', value },
    idempotencyKey,
  });

  test('makes a call that needs no approval run once, even for fifty concurrent requests', async () => {
    const tenant = await aStore();
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.api.post(EXECUTE, append(tenant, 'once', 'key-1'))));
    expect(distinctAnswers(answers)).toEqual(['200 {"key":"k","length":1}']);
    expect(await stored(tenant)).toEqual(['once']);
  });

  test('returns a stored failure unchanged', async () => {
    const tenant = await aStore();
    await tenant.api.must(200).post(EXECUTE, put(tenant, 'no list'));
    const first = await tenant.api.post(EXECUTE, append(tenant, 'x', 'key-2'));
    await tenant.api
      .must(200)
      .post(EXECUTE, { workspaceId: tenant.workspaceId, integrationName: 'kv-store', actionName: 'delete', input: { key: 'k' } });
    const second = await tenant.api.post(EXECUTE, append(tenant, 'x', 'key-2'));
    expect([first.status, first.body.code]).toEqual([400, 'ACTION_FAILED']);
    expect(second.body).toEqual(first.body);
  });

  test('conflicts if another call of the workspace sends the same key', async () => {
    const tenant = await aStore();
    await tenant.api.must(200).post(EXECUTE, append(tenant, 'a', 'key-3'));
    expect(await tenant.api.post(EXECUTE, append(tenant, 'b', 'key-3'))).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    const workspaceId = await aWorkspace(tenant, 'other');
    await tenant.api.must(200).post(EXECUTE, { ...append(tenant, 'b', 'key-3'), workspaceId, endUserId: 'ada' });
  });
});

test('a policy created with one key applies to the next call of another key', async () => {
  const tenant = await aStore();
  const other = await withKey(tenant, {});
  for (let round = 0; round < 5; round += 1) {
    await other.must(200).post(EXECUTE, put(tenant, round));
    const policy = await aPolicy(tenant, {});
    await other.must(202).post(EXECUTE, put(tenant, `gated ${round}`));
    await tenant.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  }
});

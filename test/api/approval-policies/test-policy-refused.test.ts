import { type ApiBed, openApiBed } from '../api-bed.ts';

const TEST = '/api/v1/approval-policies/test';

describe('testing a policy', () => {
  let bed: ApiBed;
  beforeAll(async () => {
    bed = await openApiBed({ OUTBOUND_ALLOW_HTTP: '', OUTBOUND_ALLOW_CIDRS: '' });
  });
  afterAll(() => bed.close());
  const ask = (policy: object) =>
    bed.api.post(TEST, { policy, context: { workspaceId: bed.workspaceId, source: 'rest', integrationName: 'a', actionName: 'b' } });

  test('is refused if a webhook has no public HTTPS address', async () => {
    const approvers = [{ type: 'webhook', webhookUrl: 'https://10.0.0.1/' }];
    expect(await ask({ approvers })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'approvers.0.webhookUrl' }] } },
    });
    expect((await ask({ approvers: [{ type: 'webhook', webhookUrl: 'https://example.com/hook' }] })).status).toBe(200);
  });

  test.each([
    ['a server', { mcpServerIds: ['11111111-1111-4111-8111-111111111111'] }],
    ['a workspace integration', { workspaceIntegrationIds: ['11111111-1111-4111-8111-111111111111'] }],
    ['a workspace', { workspaceId: '11111111-1111-4111-8111-111111111111' }],
  ])('is refused with an unknown id of %s', async (_, policy) => {
    expect(await ask(policy)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('is accepted with names that do not exist yet', async () => {
    const policy = { integrationNames: ['not-yet'], integrationAliases: ['later'], actionNames: ['fly'] };
    expect(await ask(policy)).toMatchObject({ status: 200, body: { decision: 'allow', matched: false } });
  });
});

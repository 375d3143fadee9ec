import { aReceiver, type Receiver } from '../support/receiver.ts';
import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

const ENFORCED = 'zq4711-boardroom';

let tenant: Tenant;
let upstream: Receiver;
let server: { id: string };
beforeAll(async () => {
  [tenant, upstream] = await Promise.all([aTenant(), aReceiver()]);
  server = await aServer(tenant, 'CODE', ['http', 'kv-store']);
  const partial = { workspaceId: tenant.workspaceId, integrationName: 'kv-store', name: 'Where', isDefault: true };
  await tenant.api.must(201).post('/api/v1/partials', { ...partial, values: { key: ENFORCED }, enforcedKeys: ['key'] });
  await aPolicy(tenant, { integrationNames: ['kv-store'], rules: { storagePathPrefixes: [ENFORCED], actionCategories: ['write'] } });
});
afterAll(() => upstream?.close());

const everything = async (id: string) => JSON.stringify(await tenant.api.must(200).get(`/api/v1/approvals/${id}`));
const call = (input: object) => ({ workspaceId: tenant.workspaceId, integrationName: 'kv-store', actionName: 'put', input });

test('an enforced value is hidden everywhere in a review', async () => {
  const { approval } = await tenant.api
    .must(202)
    .post('/api/v1/actions/execute', call({ value: { note: `goes to ${ENFORCED}`, [ENFORCED]: encodeURIComponent(ENFORCED) } }));
  const shown = await everything(approval.id);
  expect(shown).not.toContain(ENFORCED);
  expect(JSON.parse(shown).approval).toMatchObject({
    inputPreview: { key: '[redacted]', value: { note: 'goes to [redacted]', '[redacted]': '[redacted]' } },
    redactedPaths: expect.arrayContaining(['key', 'value.note', 'value.[redacted]']),
    riskReasons: expect.arrayContaining([expect.stringMatching(/^actionCategories/)]),
  });
});

test('the preview of a plan shows the input that the approval covers, with enforced values hidden', async () => {
  const code = `// Writes to ${ENFORCED}\n return svc.kv_store.put({ key: 'mine', value: 'for ${ENFORCED}' })`;
  const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code });
  const shown = await everything(structuredContent.approval.id);
  expect(shown).not.toContain(ENFORCED);
  const { inputPreview, redactedPaths } = JSON.parse(shown).approval;
  expect(inputPreview.predictedTools).toMatchObject([{ tool: 'kv-store.put', input: { key: '[redacted]', value: 'for [redacted]' } }]);
  expect(inputPreview).toMatchObject({ type: 'mcp_code_batch_run', intentSummary: 'The program describes itself: Writes to [redacted]' });
  expect(redactedPaths).toEqual(expect.arrayContaining(['predictedTools.0.input.key', 'predictedTools.0.input.value', 'intentSummary']));
});

test('an enforced value is hidden from the caller in the errors of a third party', async () => {
  upstream.answerWith(({ body }) => ({ status: 422, body: `refused: ${body}` }));
  const partial = { workspaceId: tenant.workspaceId, integrationName: 'http', name: 'Body', values: { body: { to: ENFORCED } } };
  const { partial: made } = await tenant.api.must(201).post('/api/v1/partials', { ...partial, enforcedKeys: ['body'] });
  const input = { method: 'POST', url: upstream.url, body_type: 'json' };
  const request = { workspaceId: tenant.workspaceId, integrationName: 'http', actionName: 'send_request', input, partialIds: [made.id] };
  const { status, body } = await tenant.api.post('/api/v1/actions/execute', request);
  expect([status, body.code]).toEqual([400, 'ACTION_FAILED']);
  expect(upstream.received.at(-1)!.body).toContain(ENFORCED);
  expect(body.details.body).toContain('refused: {');
  expect(JSON.stringify(body)).not.toContain(ENFORCED);
});

import { Client, Connection } from '@temporalio/client';
import type { Db } from '../../infra/database.ts';
import { aCodeServer } from '../support/code-runs.ts';
import { anOperatorCode, partsOf } from '../support/operator-codes.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { system } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

let connection: Connection;
let temporal: Client;
let db: Db;
let tenant: Tenant;

beforeAll(async () => {
  const { temporalAddress, temporalNamespace, databaseUrl } = await system();
  connection = await Connection.connect({ address: temporalAddress });
  temporal = new Client({ connection, namespace: temporalNamespace });
  db = patientDatabase(databaseUrl);
});
beforeEach(async () => {
  tenant = await aTenant();
  await aPolicy(tenant, { integrationNames: ['datetime', 'hash-encode'] });
});
afterAll(async () => {
  await db.destroy();
  await connection.close();
});

async function aGatedCall(): Promise<string> {
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId };
  const input = { dateString: `2026-01-01T00:00:00.${Math.floor(Math.random() * 1e9)}Z` };
  return (await tenant.api.must(202).post('/api/v1/actions/execute', { ...call, input })).approval.id;
}

const workflowOf = (id: string) => temporal.workflow.getHandle(`approval/${id}`);
const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;
const isSpent = async (code: string) =>
  (await db('spent_operator_codes')
    .where({ id: partsOf(code)[4] as string })
    .first()) !== undefined;
const trail = async () => JSON.stringify(await tenant.api.must(200).get('/api/v1/activity?limit=100'));

test.each<[string, (code: string) => unknown[]]>([
  ['under a mistyped name', (code) => [{ Code: code }]],
  ['in a list', (code) => [[code]]],
  ['deeply nested', (code) => [{ input: { notes: [code] } }]],
  ['followed by words', (code) => [{ code: `${code} looks fine` }]],
  ['in an ignored field', (code) => [{ by: code }]],
  ['in a further argument', (code) => ['fine', code]],
])('a code that is pasted %s is hidden and consumed, and approves nothing', async (_, note) => {
  const id = await aGatedCall();
  const code = await anOperatorCode(id);
  await workflowOf(id).signal('approve', ...note(code));
  await until(() => isSpent(code));
  await workflowOf(id).signal('approve', { code });
  await workflowOf(id).signal('cancel');
  expect(await workflowOf(id).result()).toBe('canceled');
  expect(await trail()).not.toContain(code.slice(0, 20));
});

test('a code that is pasted as plain text instead of JSON is consumed and approves nothing', async () => {
  const id = await aGatedCall();
  const code = await anOperatorCode(id);
  for (const encoding of ['json/plain', 'binary/plain', 'x/unknown']) {
    const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(code) };
    await connection.workflowService.signalWorkflowExecution({
      namespace: temporal.options.namespace,
      workflowExecution: { workflowId: `approval/${id}` },
      signalName: 'approve',
      input: { payloads: [payload] },
    });
  }
  await until(() => isSpent(code));
  await workflowOf(id).signal('cancel');
  expect(await workflowOf(id).result()).toBe('canceled');
});

test.each<[string, (code: string) => unknown, string | null]>([
  ['before words', (code) => `${code} looks fine`, 'looks fine'],
  ['as the reason', (code) => ({ reason: code }), null],
  ['wrapped by a terminal', (code) => `${code.slice(0, 80)}\n${code.slice(80)}`, null],
])('a code that is pasted %s approves, and is not part of the reason', async (_, note, decisionReason) => {
  const id = await aGatedCall();
  const code = await anOperatorCode(id);
  await workflowOf(id).signal('approve', note(code));
  expect(await workflowOf(id).result()).toBe('approved');
  expect(await approvalOf(id)).toMatchObject({ decidedByType: 'operator', decidedById: 'root', decisionReason });
  expect(await isSpent(code)).toBe(true);
  expect(await trail()).not.toContain(code.slice(0, 20));
});

test('a code sent with a reject signal is hidden and consumed', async () => {
  const [id, other] = [await aGatedCall(), await aGatedCall()];
  const code = await anOperatorCode(other);
  await workflowOf(id).signal('reject', `no, "${code}", no`);
  expect(await workflowOf(id).result()).toBe('rejected');
  expect((await approvalOf(id)).decisionReason).toBe('no, "[operator code]", no');
  await until(() => isSpent(code));
});

test('the API hides an operator code in a reason', async () => {
  const id = await aGatedCall();
  const code = await anOperatorCode(id);
  await tenant.api.must(200).post(`/api/v1/approvals/${id}/reject`, { reason: `not ${code}` });
  expect((await approvalOf(id)).decisionReason).toBe('not [operator code]');
  expect(await trail()).not.toContain(code.slice(0, 20));
});

test.each(['signal', 'API'])('a code in a reason for canceling a code run by %s is hidden', async (way) => {
  const server = await aCodeServer(tenant, ['hash-encode']);
  const { approval } = await server.run({ code: `await svc.hash_encode.hash({ text: 'x' });` });
  const id = await server.lastRunId();
  const code = await anOperatorCode(approval.id);
  const reason = `enough ${code} now`;
  if (way === 'API') await tenant.api.must(200).post(`/api/v1/code-runs/${id}/cancel`, { reason });
  else {
    const workflow = temporal.workflow.getHandle(`code-run/${id}`);
    await workflow.signal('cancel', reason);
    expect(await workflow.result()).toBe('canceled');
    expect(await isSpent(code)).toBe(true);
  }
  expect((await approvalOf(approval.id)).decisionReason).toContain('enough [operator code] now');
  expect(await trail()).not.toContain(code.slice(0, 20));
});

import { Client, Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { aPolicy, aTenant } from '../support/tenant.ts';

let own: OwnSystem;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  own = await startSystem();
  connection = await Connection.connect({ address: own.temporalAddress });
  temporal = new Client({ connection });
});
afterAll(async () => {
  await connection?.close();
  await own?.stop();
});

test('the workflow shows each state, and signals sent while no worker runs are applied in order', async () => {
  const at = await aTenant(own);
  await aPolicy(at, { integrationNames: ['datetime'] });
  const call = { integrationName: 'datetime', actionName: 'parse_date', workspaceId: at.workspaceId, input: { dateString: '2026-01-01' } };
  const id: string = (await at.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
  const workflow = temporal.workflow.getHandle(`approval/${id}`);
  const details = async () => (await workflow.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  const shown = async () => {
    const { typedSearchAttributes, staticSummary, staticDetails } = await workflow.describe().then(async (description) => ({
      typedSearchAttributes: description.typedSearchAttributes,
      staticSummary: await description.staticSummary(),
      staticDetails: await description.staticDetails(),
    }));
    const attributes = Object.entries(SEARCH_ATTRIBUTES).map(([name, key]) => [name, typedSearchAttributes.get(key)]);
    return { ...Object.fromEntries(attributes), staticSummary, staticDetails };
  };
  const standing = {
    approvals: [id],
    org: at.orgId,
    workspace: at.workspaceId,
    source: 'rest',
    integration: 'datetime',
    action: 'parse_date',
    staticSummary: 'datetime · parse_date (rest)',
    staticDetails: expect.stringContaining(id),
  };
  expect(await shown()).toEqual({ ...standing, status: 'pending' });
  const before = await details();
  expect(before).toMatch(/^Waits for a person until .*\nTo approve, run: npm run --silent admin -- operator-code apr_/);

  await own.worker.kill();
  await workflow.signal('reject', { reason: 'first', by: 'first' });
  await workflow.signal('cancel', { reason: 'second', by: 'second' });
  await own.worker.start();
  expect(await workflow.result()).toBe('rejected');
  expect((await at.api.must(200).get(`/api/v1/approvals/${id}`)).approval).toMatchObject({
    decisionReason: 'first',
    decidedById: 'unverified',
  });
  expect(await shown()).toEqual({ ...standing, status: 'rejected' });
  const after = 'The approval is rejected.\n- refused: cancel. This approval is rejected already.';
  expect(await details()).toBe(after);

  await own.worker.kill();
  await own.worker.start();
  expect(await details()).toBe(after);
});

test('with OPERATOR_SIGNALS=trusted, an approve signal needs no code', async () => {
  const trusting = await startSystem({ env: { OPERATOR_SIGNALS: 'trusted' } });
  try {
    const at = await aTenant(trusting);
    await aPolicy(at, { integrationNames: ['datetime'] });
    const call = {
      integrationName: 'datetime',
      actionName: 'parse_date',
      workspaceId: at.workspaceId,
      input: { dateString: '2026-01-01' },
    };
    const id: string = (await at.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
    const workflow = temporal.workflow.getHandle(`approval/${id}`);
    await workflow.signal('approve', { by: 'boss@example.com', reason: 'fine' });
    expect(await workflow.result()).toBe('approved');
    expect((await at.api.must(200).get(`/api/v1/approvals/${id}`)).approval).toMatchObject({
      ...{ status: 'approved', decidedByType: 'operator', decidedById: 'unverified', decisionReason: 'fine' },
    });
  } finally {
    await trusting.stop();
  }
});

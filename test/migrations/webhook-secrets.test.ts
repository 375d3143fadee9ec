import { down, up } from '../../migrations/0014_webhook_secrets.ts';
import { openApiBed } from '../api/api-bed.ts';

test('old retries start their delay anew, and deliveries without an attempt are due immediately', async () => {
  const bed = await openApiBed();
  const { api, workspaceId, patient } = bed;
  const approvers = [{ type: 'webhook', webhookUrl: 'https://receiver.example/hook' }];
  await api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', approvers });
  const account = { integrationName: 'mail', type: 'SECRET_TEXT', secretText: 'one', externalId: 'ours', workspaceId, scope: 'WORKSPACE' };
  await api.must(201).post('/api/v1/connections', account);
  const rows = [
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => ({ status: attempt === 0 ? 'pending' : 'retrying', attempt })),
    { status: 'success', attempt: 1 },
    { status: 'failed', attempt: 10 },
  ];
  for (const [index, row] of rows.entries()) {
    const call = { workspaceId, integrationName: 'mail', actionName: 'send', input: { to: String(index) } };
    const { approval } = await api.must(202).post('/api/v1/actions/execute', call);
    await patient('webhook_deliveries').where({ approval_id: approval.id }).update(row);
  }

  await down(patient);
  await patient.transaction((tx) => up(tx));

  const waits = await patient('webhook_deliveries')
    .orderBy('status')
    .orderBy('attempt')
    .select('status', 'attempt', patient.raw('round(extract(epoch from next_attempt_at - now()))::int as wait'));
  const waitOf = (attempt: number) => waits.find((row) => row.attempt === attempt && row.status !== 'success').wait;
  expect(waitOf(0)).toBeLessThanOrEqual(0);
  const HOUR = 3600;
  for (const [index, seconds] of [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR].entries()) {
    expect(seconds - waitOf(index + 1)).toBeGreaterThanOrEqual(0);
    expect(seconds - waitOf(index + 1)).toBeLessThan(60);
  }
  expect(waits.filter(({ status }) => status === 'success' || status === 'failed').map(({ wait }) => wait)).toEqual([null, null]);
  await bed.close();
});

test('the migration distinguishes destinations that answered 410 from removed destinations', async () => {
  const bed = await openApiBed();
  const urls = ['https://receiver.example/gone', 'https://receiver.example/dropped', 'https://receiver.example/living'];
  const approvers = urls.map((webhookUrl) => ({ type: 'webhook', webhookUrl }));
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', approvers });
  await bed.api.must(200).patch(`/api/v1/approval-policies/${policy.id}`, { approvers: [approvers[0], approvers[2]] });
  await down(bed.patient);
  await bed.patient('webhook_endpoints').where({ url: urls[0] }).update({ disabled_at: bed.patient.fn.now() });

  await bed.patient.transaction((tx) => up(tx));

  const endpoints = await bed.patient('webhook_endpoints').select('url', 'gone_at', 'disabled_at');
  const stateOf = (url: string) => {
    const { gone_at, disabled_at } = endpoints.find((endpoint) => endpoint.url === url);
    return { isGone: gone_at !== null, isDropped: disabled_at !== null };
  };
  expect(urls.map(stateOf)).toEqual([
    { isGone: true, isDropped: false },
    { isGone: false, isDropped: true },
    { isGone: false, isDropped: false },
  ]);
  await bed.close();
});

import { openProbedApi, type ProbedApi } from '../support/loop-probe.ts';
import { times } from './times.ts';

let probed: ProbedApi;
beforeAll(async () => {
  probed = await openProbedApi();
});
afterAll(() => probed.close());

test('a thousand policies with long lists block no other request', async () => {
  const { api } = probed;
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'Many', slug: 'many' });
  const create = (index: number) =>
    api.must(200).post('/api/v1/approval-policies', {
      ...{ name: `Policy ${index}`, workspaceId: workspace.id, decision: 'block' },
      rules: {
        recipientDenylist: times(200, (item) => `*${index}x${item}*y@z.example`),
        domainDenylist: times(100, (item) => `d${index}-${item}.exam*`),
      },
    });
  const ids: string[] = [];
  for (let index = 0; index < 980; index += 20) {
    for (const { policy } of await Promise.all(times(20, (item) => create(index + item)))) ids.push(policy.id);
  }
  const raced = await Promise.all(times(40, (index) => api.post('/api/v1/approval-policies', { name: `Late ${index}`, enabled: false })));
  expect(raced.filter(({ status }) => status === 200)).toHaveLength(20);
  for (const { body } of raced.filter(({ status }) => status !== 200))
    expect(body).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { quota: 1000 } });
  const call = (body: unknown) => () =>
    api.post('/api/v1/actions/execute', {
      ...{ workspaceId: workspace.id, integrationName: 'http', actionName: 'send_request' },
      input: { method: 'POST', url: 'https://nowhere.invalid/', body },
    });
  // After a change, the process reads all policies again.
  await probed.expectShort(async () => {
    await api.must(200).patch(`/api/v1/approval-policies/${ids[0]}`, { description: null });
    await call({ to: 'a@b.cc' })();
  });
  await probed.expectShort(call({ to: 'a@b.cc' }));
  await probed.expectShort(call('@a.b '.repeat(190_000)));
}, 300_000);

import { aPolicy, aServer, aTenant, type Tenant } from '../support/tenant.ts';

let tenant: Tenant;
let serverId: string;
let instances: string;
beforeEach(async () => {
  tenant = await aTenant();
  serverId = (await aServer(tenant, 'CODE', [])).id;
  instances = `/api/v1/workspaces/${tenant.workspaceId}/integrations`;
});

const execute = async (body: object) =>
  (await tenant.api.must(200).post(`/api/v1/mcp/servers/${serverId}/execute-code`, body)).structuredContent;
const approve = (id: string) => tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
const approvalOf = async (id: string) => (await tenant.api.must(200).get(`/api/v1/approvals/${id}`)).approval;

/** Creates an account. No server listens at its endpoint, because no test runs an approved call. */
async function anAccount(externalId: string): Promise<string> {
  const { connection } = await tenant.api.must(201).post('/api/v1/connections', {
    ...{ integrationName: 'amazon-s3', externalId, workspaceId: tenant.workspaceId, scope: 'WORKSPACE', type: 'CUSTOM_AUTH' },
    props: { accessKeyId: `AKIA${externalId}`, secretAccessKey: 'secret', region: 'eu-west-1', endpoint: 'https://127.0.0.1:1' },
  });
  return connection.id;
}

const anInstance = async (fields: object) =>
  (await tenant.api.must(201).post(instances, { integrationName: 'amazon-s3', ...fields })).integration.id;

/** A program that computes the input of its call from the clock. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: part of the program
const PROGRAM = 'return await svc.files.delete_file({ key: `backup-${Date.now()}` })';

test.each<[string, (world: { instance: string; other: string; partial: string }) => Promise<unknown>]>([
  ['another account', ({ instance, other }) => tenant.api.must(200).patch(`${instances}/${instance}`, { connectionId: other })],
  [
    'another enforced value',
    ({ partial }) => tenant.api.must(200).patch(`/api/v1/partials/${partial}`, { values: { bucket: 'production' } }),
  ],
])('after a change to %s, a run needs a new approval of its plan', async (_, change) => {
  const [account, other] = [await anAccount('A'), await anAccount('B')];
  const instance = await anInstance({ alias: 'files', connectionId: account });
  const enforced = { integrationName: 'amazon-s3', name: 'Safe', values: { bucket: 'safe' }, enforcedKeys: ['bucket'], isDefault: true };
  const { partial } = await tenant.api.must(201).post('/api/v1/partials', { workspaceId: tenant.workspaceId, ...enforced });
  await aPolicy(tenant, { actionNames: ['delete_file'] });
  const paused = await execute({ code: PROGRAM });
  await approve(paused.approval.id);
  await change({ instance, other, partial: partial.id });
  const again = await execute({ approvalId: paused.approval.id });
  expect(again.status).toBe('approval_required');
  expect(again.approval.id).not.toBe(paused.approval.id);
});

test('the approval of a plan is canceled when one of its accounts or integrations is deleted', async () => {
  const [first, second] = [await anAccount('A'), await anAccount('B')];
  await anInstance({ alias: 'files', connectionId: first });
  const instance = await anInstance({ alias: 'archive', connectionId: second });
  await aPolicy(tenant, { actionNames: ['delete_file'] });
  const code =
    "await svc.files.delete_file({ bucket: 'bucket', key: 'k' }); await svc.archive.delete_file({ bucket: 'bucket', key: 'k' });";
  const isCanceledBy = async (remove: () => Promise<unknown>) => {
    const paused = await execute({ code });
    expect(paused.status).toBe('approval_required');
    const { approval } = paused;
    expect((await approvalOf(approval.id)).status).toBe('pending');
    await remove();
    expect((await approvalOf(approval.id)).status).toBe('canceled');
    expect((await execute({ approvalId: approval.id })).status).toBe('approval_canceled');
  };
  await isCanceledBy(() => tenant.api.must(200).delete(`/api/v1/connections/${second}`));
  await tenant.api.must(200).patch(`${instances}/${instance}`, { connectionId: first });
  await isCanceledBy(() => tenant.api.must(200).delete(`${instances}/${instance}`));
});

import type { ApiBed } from '../api-bed.ts';

let workspaces = 0;

/** Creates a workspace with a model_assisted policy. */
export async function anAssistedWorkspace(bed: ApiBed, fields: object = {}) {
  const slug = `assisted-${++workspaces}`;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: slug, slug });
  const { policy } = await bed.api
    .must(200)
    .post('/api/v1/approval-policies', { name: 'Risky calls', workspaceId: workspace.id, riskMode: 'model_assisted', ...fields });
  const put = (value: unknown, more: object = {}) =>
    bed.api.post('/api/v1/actions/execute', {
      ...{
        workspaceId: workspace.id,
        integrationName: 'kv-store',
        actionName: 'put',
        input: { key: 'k', value },
        endUserId: 'ann-of-accounts',
      },
      ...more,
    });
  const approvals = async () => (await bed.api.must(200).get(`/api/v1/approvals?workspaceId=${workspace.id}`)).approvals;
  return { workspaceId: workspace.id as string, policy, put, approvals };
}

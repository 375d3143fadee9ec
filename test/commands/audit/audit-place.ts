import { trailOf } from '../../api/activity/activity-bed.ts';
import type { ApiBed } from '../../api/api-bed.ts';

let count = 0;

/** Creates a workspace with a policy. */
export async function aPlace(bed: ApiBed, policy: object = {}) {
  count += 1;
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'A place', slug: `place-${count}` });
  const fields = { name: 'Ask first', workspaceId: workspace.id, ...policy };
  const { policy: made } = await bed.api.must(200).post('/api/v1/approval-policies', fields);
  const call = (text = 'x') => ({ workspaceId: workspace.id, integrationName: 'hash-encode', actionName: 'hash', input: { text } });
  return {
    workspaceId: workspace.id as string,
    policyId: made.id as string,
    execute: (text?: string) => bed.api.post('/api/v1/actions/execute', call(text)),
    ask: async (text?: string): Promise<string> => (await bed.api.must(202).post('/api/v1/actions/execute', call(text))).approval.id,
    decide: (id: string, decision: string, body?: object) => bed.api.must(200).post(`/api/v1/approvals/${id}/${decision}`, body),
    /** The workspace's rows in the activity log, without `workspace.created`. */
    trail: async (where: object = {}) => {
      const rows = await trailOf(bed.gateway.db, { workspace_id: workspace.id, ...where });
      return rows.filter(({ type }) => type !== 'workspace.created');
    },
  };
}

/** Returns the types of activity rows. */
export const typesOf = (rows: { type: string }[]) => rows.map(({ type }) => type);

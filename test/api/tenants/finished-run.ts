import { randomId } from '../../../infra/tokens.ts';
import { insertCodeRun } from '../../../store/code-run-starts.ts';
import { recordRunEnd } from '../../../store/code-run-transitions.ts';
import type { ApiBed } from '../api-bed.ts';

/** Inserts a finished code run. Returns the id of an approval that belongs to the run. */
export async function insertFinishedRun(bed: ApiBed, mcpServerId: string, endUserId: string | null): Promise<string> {
  const { db } = bed.gateway;
  const { orgId, workspaceId } = bed;
  const [id, approvalId] = [randomId('crun_'), randomId('apr_')];
  await insertCodeRun(db, {
    ...{ id, orgId, workspaceId, mcpServerId, endUserId, code: 'return 1', codeHash: '' },
    ...{ requestedByType: 'mcp_token', requestedById: null },
  });
  const timings = { totalExecuteMs: 1, sandboxMs: 1 };
  await recordRunEnd(db, id, { status: 'executed', result: { output: 'her output', error: null, logs: [], timings }, runningMs: 1 });
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'x', workspaceId, actionNames: ['delete'] });
  const gated = await bed.api.must(202).post('/api/v1/actions/execute', {
    ...{ workspaceId, integrationName: 'kv-store', actionName: 'delete', input: { key: approvalId }, endUserId: endUserId ?? 'alice' },
  });
  await db('approvals').where({ id: gated.approval.id }).update({ code_run_id: id });
  await bed.api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
  return gated.approval.id;
}

import { insertCodeRun } from '../../../store/code-run-starts.ts';
import { recordRunEnd } from '../../../store/code-run-transitions.ts';
import type { ApiBed } from '../api-bed.ts';
import { aWorld, type World } from './a-world.ts';

/** A world with more records and with a marker. */
export interface MarkedWorld extends World {
  /** The marker. It occurs nowhere outside this workspace. */
  only: string;
  /** The connection with the marker, and an instance of openai that uses this connection. */
  accountId: string;
  accountInstanceId: string;
  accountToolId: string;
  storeToolId: string;
  codeInstanceId: string;
  /** The approval of a finished code run on the server `serverId`. */
  runApprovalId: string;
}

/** Fills the workspace of a tenant with records that contain the marker `only`. */
export async function aMarkedWorld({ gateway: { db } }: ApiBed, only: string, tenant: World['tenant']): Promise<MarkedWorld> {
  const world = await aWorld(tenant);
  const { workspaceId, serverId } = world;
  const make = tenant.api.must(201);
  await make.post('/api/v1/end-users', { workspaceId, externalId: only });
  await make.post('/api/v1/partials', { workspaceId, integrationName: 'kv-store', name: only, values: {} });
  const account = { integrationName: 'openai', externalId: only, type: 'SECRET_TEXT', secretText: `sk-${only}`, workspaceId };
  const { connection } = await make.post('/api/v1/connections', { ...account, scope: 'WORKSPACE' });
  await make.post('/api/v1/connections', { ...account, externalId: `of ${only}`, endUserId: only });
  const configure = async (body: object) => (await make.post(`/api/v1/workspaces/${workspaceId}/integrations`, body)).integration.id;
  const accountInstanceId = await configure({ integrationName: 'openai', connectionId: connection.id });
  const codeInstanceId = await configure({ integrationName: 'advanced-code' });
  const { tools } = await tenant.api.must(200).get(`/api/v1/mcp/servers/${serverId}`);
  const toolOf = (name: string) => tools.find(({ integrationName }: { integrationName: string }) => integrationName === name).id;

  const runId = `crun_${only}`;
  await insertCodeRun(db, {
    ...{ id: runId, orgId: tenant.orgId, workspaceId, mcpServerId: serverId, endUserId: null, code: 'return 1', codeHash: '' },
    ...{ requestedByType: 'api_key', requestedById: null },
  });
  const result = { output: only, error: null, logs: [], timings: { totalExecuteMs: 1, sandboxMs: 1 } };
  await recordRunEnd(db, runId, { status: 'executed', result, runningMs: 1 });
  const [, , runApprovalId] = world.approvalIds;
  await db('approvals').where({ id: runApprovalId }).update({ code_run_id: runId });
  return {
    ...{ ...world, only, accountId: connection.id, accountInstanceId, codeInstanceId, runApprovalId },
    ...{ accountToolId: toolOf('openai'), storeToolId: toolOf('kv-store') },
  };
}

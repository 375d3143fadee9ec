import type { CodeRun, CodeRunStatus } from '../domain/code-run.ts';
import type { Db } from '../infra/database.ts';
import { encodePayload } from './payload.ts';

/** Notification channel: a run was recorded. The payload is the id of the run. */
export const RUN_STARTED = 'code_run_started';

export type NewCodeRun = Pick<
  CodeRun,
  'id' | 'orgId' | 'workspaceId' | 'mcpServerId' | 'endUserId' | 'requestedByType' | 'requestedById' | 'code' | 'codeHash'
>;

/**
 * Inserts a run and notifies the workers at commit. Returns false if the MCP server of the run is
 * gone. Locks the MCP server against deletion, so that a later deletion also cancels the run.
 */
export async function insertStartedCodeRun(db: Db, run: NewCodeRun): Promise<boolean> {
  const { org_id, workspace_id, mcp_server_id, code, ...texts } = rowOf(run);
  const uuids = db.raw('?::uuid, ?::uuid, ?::uuid, ?::bytea, now()', [org_id, workspace_id, mcp_server_id, code]);
  const values = [uuids, ...Object.values(texts).map((value) => db.raw('?::text', [value]))];
  const named = ['org_id', 'workspace_id', 'mcp_server_id', 'code', 'workflow_due_at', ...Object.keys(texts)];
  const inserted = db(db.raw('code_runs (??)', [named]))
    .insert(db.select(values).from('server'))
    .returning('id');
  const notified = db.raw('pg_notify(?, id)', [RUN_STARTED]);
  const rows = await db
    .with('server', heldServer(db, run))
    .with('inserted', inserted)
    .select(notified)
    .from('inserted')
    .options({ name: 'start-code-run' });
  return rows.length > 0;
}

type Place = Pick<NewCodeRun, 'orgId' | 'workspaceId' | 'mcpServerId'>;

function heldServer(db: Db, { orgId, workspaceId, mcpServerId }: Place) {
  return db('mcp_servers').select('id').where({ id: mcpServerId, org_id: orgId, workspace_id: workspaceId }).forKeyShare();
}

/**
 * Locks the MCP server of a run against deletion until the transaction ends. Returns false if the
 * MCP server is gone. Follows the lock order of `holdWorkspace`.
 */
export async function holdServerOfRun(tx: Db, place: Place): Promise<boolean> {
  return (await heldServer(tx, place)).length > 0;
}

/** Inserts the row of a run without starting the run. */
export async function insertCodeRun(db: Db, run: NewCodeRun): Promise<void> {
  await db('code_runs').insert(rowOf(run));
}

function rowOf(run: NewCodeRun) {
  return {
    id: run.id,
    org_id: run.orgId,
    workspace_id: run.workspaceId,
    mcp_server_id: run.mcpServerId,
    end_user_id: run.endUserId,
    requested_by_type: run.requestedByType,
    requested_by_id: run.requestedById,
    status: 'running' satisfies CodeRunStatus,
    code: encodePayload(run.code),
    code_hash: run.codeHash,
  };
}

/** A run whose workflow has to be started. */
export interface DueWorkflow {
  codeRunId: string;
  orgId: string;
  workspaceId: string;
  serverName: string;
  status: CodeRunStatus;
}

/**
 * Returns runs whose workflow has been due for at least `olderThanSeconds`, and sets the due time
 * to now. Several processes can call this at the same time.
 */
export async function claimDueWorkflows(
  db: Db,
  { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number },
): Promise<DueWorkflow[]> {
  const due = db('code_runs')
    .select('id')
    .whereRaw("workflow_due_at <= now() - ? * interval '1 second'", [olderThanSeconds])
    .orderBy('workflow_due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const claimed = db('code_runs')
    .whereRaw('id = any(array(?))', [due])
    .update({ workflow_due_at: db.fn.now() })
    .returning(['id', 'org_id', 'workspace_id', 'mcp_server_id', 'status']);
  return db
    .with('claimed', claimed)
    .from('claimed')
    .leftJoin('mcp_servers', 'mcp_servers.id', 'claimed.mcp_server_id')
    .select({
      codeRunId: 'claimed.id',
      orgId: 'claimed.org_id',
      workspaceId: 'claimed.workspace_id',
      status: 'claimed.status',
      serverName: db.raw("coalesce(mcp_servers.name, '')"),
    });
}

/** Returns the status of a run whose workflow has to be started; undefined for any other run. */
export async function findDueStatus(db: Db, id: string): Promise<CodeRunStatus | undefined> {
  const [status] = await db('code_runs').where({ id }).whereNotNull('workflow_due_at').pluck('status');
  return status;
}

/** Records that the workflow of a run was started. */
export async function markWorkflowStarted(db: Db, id: string): Promise<void> {
  await db('code_runs').where({ id }).update({ workflow_due_at: null }).options({ name: 'mark-workflow-started' });
}

/** Deletes a run that has not begun. */
export async function deleteUnstartedCodeRun(db: Db, id: string): Promise<boolean> {
  return (await db('code_runs').where({ id, status: 'running', pass_number: 0 }).delete()) > 0;
}

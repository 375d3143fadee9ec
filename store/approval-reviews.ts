import type { Db } from '../infra/database.ts';

/** What a reviewer is told beside the approval's own record. A name is null where there is none, or no longer. */
export interface ApprovalSurroundings {
  workspaceName: string | null;
  mcpServerName: string | null;
  instanceName: string | null;
  endUserName: string | null;
  /** Of the API key that asked. */
  keyName: string | null;
  receiptExpiresAt: Date | null;
  /** The database clock, which decides what is too late. */
  now: Date;
}

/** The names and times that an approval refers to; undefined where there is no such approval. */
export async function findApprovalSurroundings(db: Db, approvalId: string): Promise<ApprovalSurroundings | undefined> {
  return db('approvals as a')
    .leftJoin('workspaces as w', { 'w.org_id': 'a.org_id', 'w.id': 'a.workspace_id' })
    .leftJoin('mcp_servers as s', { 's.org_id': 'a.org_id', 's.id': 'a.mcp_server_id' })
    .leftJoin('workspace_integrations as i', { 'i.org_id': 'a.org_id', 'i.id': 'a.workspace_integration_id' })
    .leftJoin('end_users as u', { 'u.workspace_id': 'a.workspace_id', 'u.external_id': 'a.end_user_id' })
    .leftJoin('api_keys as k', (on) =>
      on.on('k.org_id', 'a.org_id').andOn(db.raw("a.requested_by_type = 'api_key' and k.id::text = a.requested_by_id")),
    )
    .leftJoin('receipts as r', { 'r.org_id': 'a.org_id', 'r.approval_id': 'a.id' })
    .where('a.id', approvalId)
    .select(
      'w.name as workspaceName',
      's.name as mcpServerName',
      'i.display_name as instanceName',
      'u.display_name as endUserName',
      'k.name as keyName',
      'r.expires_at as receiptExpiresAt',
      db.raw('now() as now'),
    )
    .first();
}

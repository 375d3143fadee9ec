import type { Approval } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

/** The fields of an approval, each a column of the table. */
export const APPROVAL_FIELDS = [
  'id',
  'orgId',
  'workspaceId',
  'policyId',
  'policyVersion',
  'policyName',
  'approvers',
  'mcpServerId',
  'workspaceIntegrationId',
  'concernedConnectionIds',
  'concernedIntegrationIds',
  'connectionId',
  'connectionVersion',
  'definitionHash',
  'codeHash',
  'toolSurfaceHash',
  'plannedTools',
  'requestHash',
  'connectionStrategy',
  'endUserId',
  'source',
  'status',
  'integrationName',
  'integrationAlias',
  'actionName',
  'inputHash',
  'inputPreview',
  'redactedPaths',
  'riskReasons',
  'riskScore',
  'riskCategory',
  'approvalAccessMode',
  'timeoutSeconds',
  'defaultOnTimeout',
  'idempotencyKey',
  'codeRunId',
  'callNumber',
  'requestedByType',
  'requestedById',
  'decidedByType',
  'decidedById',
  'decisionReason',
  'decisionMetadata',
  'decidedAt',
  'consumedAt',
  'expiresAt',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Approval)[];

export const APPROVAL_COLUMNS = columns<Approval>(...APPROVAL_FIELDS);

type Given =
  | 'id'
  | 'orgId'
  | 'workspaceId'
  | 'policyId'
  | 'policyVersion'
  | 'policyName'
  | 'approvers'
  | 'mcpServerId'
  | 'workspaceIntegrationId'
  | 'concernedConnectionIds'
  | 'concernedIntegrationIds'
  | 'connectionId'
  | 'connectionVersion'
  | 'definitionHash'
  | 'codeHash'
  | 'toolSurfaceHash'
  | 'plannedTools'
  | 'requestHash'
  | 'connectionStrategy'
  | 'endUserId'
  | 'source'
  | 'status'
  | 'integrationName'
  | 'integrationAlias'
  | 'actionName'
  | 'inputHash'
  | 'inputPreview'
  | 'redactedPaths'
  | 'riskReasons'
  | 'riskScore'
  | 'riskCategory'
  | 'approvalAccessMode'
  | 'timeoutSeconds'
  | 'defaultOnTimeout'
  | 'idempotencyKey'
  | 'codeRunId'
  | 'callNumber'
  | 'requestedByType'
  | 'requestedById';
export type NewApproval = Pick<Approval, Given> & {
  /** JSON; of a call that has no record of its own yet. */
  facts?: string | null;
};

const JSON_FIELDS = ['approvers', 'inputPreview', 'plannedTools'];

/** Inserts an approval. Its timeout starts now, by the database clock. */
export async function insertApproval(db: Db, approval: NewApproval): Promise<Approval> {
  const [row] = await db('approvals')
    .insert({ ...toRow(approval, JSON_FIELDS), expires_at: after(db, approval.timeoutSeconds) })
    .returning(APPROVAL_COLUMNS);
  return row;
}

/**
 * Inserts the record of a call that a policy let through: consumed, and decided by the policy
 * (contract decisions 3).
 */
export async function insertPolicyDecidedApproval(db: Db, approval: NewApproval): Promise<Approval> {
  const decided = { decided_by_type: 'policy', decided_by_id: approval.policyId, decided_at: db.fn.now(), consumed_at: db.fn.now() };
  const [row] = await db('approvals')
    .insert({ ...toRow(approval, JSON_FIELDS), ...decided, expires_at: after(db, approval.timeoutSeconds) })
    .returning(APPROVAL_COLUMNS);
  return row;
}

export async function findApproval(db: Db, orgId: string, id: string): Promise<Approval | undefined> {
  return db('approvals').select(APPROVAL_COLUMNS).where({ org_id: orgId, id }).first().options({ name: 'approval' });
}

/**
 * The approval of any organization: for hosted links, whose token is the authority, and for
 * workflows.
 */
export async function findApprovalById(db: Db, id: string): Promise<Approval | undefined> {
  return db('approvals').select(APPROVAL_COLUMNS).where({ id }).first();
}

/** An approval, and how long it can still be decided. */
export interface TimedApproval {
  approval: Approval;
  /**
   * By the database clock: the clocks of processes and of Temporal may be wrong. 0 once the time is
   * up.
   */
  timeLeftMs: number;
}

/** The approval of any organization with the time left to decide it. */
export async function findTimedApproval(db: Db, id: string): Promise<TimedApproval | undefined> {
  const row: (Approval & { leftMs: number }) | undefined = await db('approvals')
    .select(APPROVAL_COLUMNS)
    .select(db.raw('extract(epoch from expires_at - now())::float8 * 1000 as "leftMs"'))
    .where({ id })
    .first();
  if (!row) return undefined;
  const { leftMs, ...approval } = row;
  return { approval, timeLeftMs: Math.max(0, Math.ceil(leftMs)) };
}

/** Every approval of a code run, in the order of the requests. */
export async function listRunApprovals(db: Db, codeRunId: string): Promise<Approval[]> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ code_run_id: codeRunId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .options({ name: 'approvals-of-run' });
}

/**
 * Records that an answer of the code run named these approvals. True if one of them had not been
 * named before.
 */
export async function markAnnounced(db: Db, ids: readonly string[]): Promise<boolean> {
  return (await db('approvals').whereIn('id', ids).whereNull('announced_at').update({ announced_at: db.fn.now() })) > 0;
}

/**
 * Whether a code run waits for an approval, other than `exceptId`, that no answer of the run has
 * named.
 */
export async function hasUnannouncedApproval(db: Db, codeRunId: string, exceptId = ''): Promise<boolean> {
  const unannounced = db('approvals')
    .where({ code_run_id: codeRunId, status: 'pending' })
    .whereNull('announced_at')
    .whereNot({ id: exceptId });
  return (await unannounced.first('id')) !== undefined;
}

export interface ApprovalFilter {
  orgId: string;
  workspaceIds?: readonly string[];
  status?: string | undefined;
  source?: string | undefined;
  integrationName?: string | undefined;
  actionName?: string | undefined;
}

/** The end of a page of the list. Rows inserted later do not shift it. */
export interface ApprovalCursor {
  createdAt: string;
  id: string;
}

/** Newest first, after the cursor; with the exact total of the filter. */
export async function listApprovals(
  db: Db,
  filter: ApprovalFilter,
  page: { limit: number; after?: ApprovalCursor | undefined },
): Promise<{ items: Approval[]; total: number; next: ApprovalCursor | null }> {
  const query = db('approvals').where({ org_id: filter.orgId });
  if (filter.workspaceIds) query.whereIn('workspace_id', [...filter.workspaceIds]);
  for (const [column, value] of [
    ['status', filter.status],
    ['source', filter.source],
    ['integration_name', filter.integrationName],
    ['action_name', filter.actionName],
  ] as const) {
    if (value !== undefined) query.where(column, value);
  }
  const pageQuery = query
    .clone()
    .select(APPROVAL_COLUMNS)
    .select(db.raw(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "cursorAt"`));
  if (page.after) pageQuery.andWhereRaw('(created_at, id) < (?::timestamptz, ?)', [page.after.createdAt, page.after.id]);
  const [rows, counted] = await Promise.all([
    pageQuery
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(page.limit + 1),
    query.clone().count({ total: '*' }).first(),
  ]);
  const items = rows.slice(0, page.limit);
  const last = items.at(-1);
  return {
    items: items.map(({ cursorAt: _, ...approval }) => approval as Approval),
    total: Number(counted?.total ?? 0),
    next: rows.length > page.limit && last ? { createdAt: last.cursorAt, id: last.id } : null,
  };
}

function after(db: Db, seconds: number) {
  return db.raw("now() + ? * interval '1 second'", [seconds]);
}

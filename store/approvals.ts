import type { Approval } from '../domain/approval.ts';
import type { Db } from '../infra/database.ts';
import { columns, columnsSql, toRow } from './columns.ts';
import { keyedRead } from './key-lookups.ts';

/** The fields of an approval. Each is a column of the table. */
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
  'presetPaths',
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

/** Finds the API keys of requests and the approvals that the requests name. */
export const findApprovalsWithKeys = keyedRead<Approval>('approvals', columnsSql<Approval>('approvals', ...APPROVAL_FIELDS), 'text');

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
  | 'presetPaths'
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
  /** JSON of the facts of a call that has no record yet. */
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
 * Inserts the approval of a call that a policy let through: decided and consumed (contract
 * decisions 3).
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

/** Finds an approval of any organization. */
export async function findApprovalById(db: Db, id: string): Promise<Approval | undefined> {
  return db('approvals').select(APPROVAL_COLUMNS).where({ id }).first();
}

/** An approval with the time left to decide it. */
export interface TimedApproval {
  approval: Approval;
  /** Measured by the database clock, because other clocks can be wrong. 0 after the expiry. */
  timeLeftMs: number;
}

/** Finds an approval of any organization, with the time left to decide it. */
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

/** All approvals of a code run, in the order of the requests. */
export async function listRunApprovals(db: Db, codeRunId: string): Promise<Approval[]> {
  return db('approvals')
    .select(APPROVAL_COLUMNS)
    .where({ code_run_id: codeRunId })
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .options({ name: 'approvals-of-run' });
}

/**
 * Records that a response named these approvals. Returns false if earlier responses have named all
 * of them.
 */
export async function markAnnounced(db: Db, ids: readonly string[]): Promise<boolean> {
  return (await db('approvals').whereIn('id', ids).whereNull('announced_at').update({ announced_at: db.fn.now() })) > 0;
}

/**
 * Whether a code run waits for an approval that no response has named. Ignores the approval
 * `exceptId`.
 */
export async function hasUnannouncedApproval(db: Db, codeRunId: string, exceptId = ''): Promise<boolean> {
  const unannounced = db('approvals')
    .where({ code_run_id: codeRunId, status: 'pending' })
    .whereNull('announced_at')
    .whereNot({ id: exceptId });
  return (await unannounced.first('id')) !== undefined;
}

function after(db: Db, seconds: number) {
  return db.raw("now() + ? * interval '1 second'", [seconds]);
}

import type { Approval } from '../domain/approval.ts';
import type { CallStatus } from '../domain/call.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import type { ConnectionScope, ConnectionStatus } from '../domain/connection.ts';
import type { Db } from '../infra/database.ts';
import { APPROVAL_COLUMNS, APPROVAL_FIELDS } from './approvals.ts';
import { decodePayload } from './payload.ts';

/**
 * An approval with the facts that a reviewer needs. A name is null if there is no such record, or
 * if the record has no name.
 */
export interface ApprovalReview {
  approval: Approval;
  orgName: string;
  workspaceName: string | null;
  mcpServerName: string | null;
  instanceName: string | null;
  endUserName: string | null;
  /** The API key that made the request. */
  keyName: string | null;
  /** The member who made the request. */
  memberName: string | null;
  /** The user or end user who decided. */
  deciderName: string | null;
  /** Accounts that the approval depends on, if they still exist. */
  accounts: AccountOfApproval[];
  /** For how many seconds the approval also admits repeats of the call. Null: no repeats. */
  reuseWindowSeconds: number | null;
  calls: { status: CallStatus; count: number }[];
  run: { status: CodeRunStatus; code: string; codeHash: string } | null;
  lastApproved: LastApproved | null;
  receiptExpiresAt: Date | null;
  /** The database time. */
  now: Date;
}

export interface AccountOfApproval {
  name: string;
  scope: ConnectionScope;
  status: ConnectionStatus;
  ownerName: string | null;
  /**
   * Whether the connection was reconnected after the request. It can then lead to another account.
   */
  isReconnected: boolean;
}

/**
 * The previous approval for the same end user: of the same action, or of a program under the same
 * policy.
 */
interface LastApproved {
  decidedAt: Date;
  inputPreview: Record<string, unknown>;
  /** The source of the program. Null for a call. */
  code: string | null;
  codeHash: string | null;
}

interface Row extends Approval, Omit<ApprovalReview, 'approval' | 'run' | 'lastApproved'> {
  runStatus: CodeRunStatus | null;
  code: Buffer | null;
  runCodeHash: string | null;
  lastDecidedAt: Date | null;
  lastPreview: Record<string, unknown>;
  lastCode: Buffer | null;
  lastCodeHash: string | null;
}

/** Reads an approval for a reviewer. */
export async function findApprovalReview(db: Db, approvalId: string): Promise<ApprovalReview | undefined> {
  const row: Row | undefined = await db('approvals as a')
    .join('orgs as o', 'o.id', 'a.org_id')
    .leftJoin('workspaces as w', { 'w.org_id': 'a.org_id', 'w.id': 'a.workspace_id' })
    .leftJoin('mcp_servers as s', { 's.org_id': 'a.org_id', 's.id': 'a.mcp_server_id' })
    .leftJoin('workspace_integrations as i', { 'i.org_id': 'a.org_id', 'i.id': 'a.workspace_integration_id' })
    .leftJoin('end_users as u', { 'u.workspace_id': 'a.workspace_id', 'u.external_id': 'a.end_user_id' })
    .leftJoin('api_keys as k', (on) =>
      on.on('k.org_id', 'a.org_id').andOn(db.raw("a.requested_by_type = 'api_key' and k.id::text = a.requested_by_id")),
    )
    .leftJoin('approval_policies as p', { 'p.org_id': 'a.org_id', 'p.id': 'a.policy_id', 'p.version': 'a.policy_version' })
    .leftJoin('code_runs as c', { 'c.org_id': 'a.org_id', 'c.id': 'a.code_run_id' })
    .leftJoin('receipts as r', { 'r.org_id': 'a.org_id', 'r.approval_id': 'a.id' })
    .joinRaw(LAST_APPROVED)
    .where('a.id', approvalId)
    .select(APPROVAL_COLUMNS.map((column) => `a.${column}`))
    .select({
      orgName: 'o.name',
      workspaceName: 'w.name',
      mcpServerName: 's.name',
      instanceName: 'i.display_name',
      endUserName: 'u.display_name',
      keyName: 'k.name',
      reuseWindowSeconds: 'p.reuse_window_seconds',
      runStatus: 'c.status',
      code: 'c.code',
      runCodeHash: 'c.code_hash',
      lastDecidedAt: 'last.decided_at',
      lastPreview: 'last.input_preview',
      lastCode: 'last.code',
      lastCodeHash: 'last.code_hash',
      receiptExpiresAt: 'r.expires_at',
      now: db.raw('now()'),
      memberName: db.raw(ASKING_MEMBER),
      deciderName: db.raw(DECIDER_NAME),
      accounts: db.raw(ACCOUNTS),
      calls: db.raw(CALLS),
    })
    .first();
  return row && toReview(row);
}

/** SQL: the name of the member who made the request of approval `a`; null if no member did. */
export const ASKING_MEMBER = `(select coalesce(m.display_name, u.display_name, u.email) from users u
  left join memberships m on m.user_id = u.id and m.org_id = a.org_id
  where u.id = case when a.requested_by_type = 'user' then a.requested_by_id::uuid end)`;

const DECIDER_NAME = `(case a.decided_by_type
  when 'user' then (select coalesce(m.display_name, u.display_name, u.email) from users u
    left join memberships m on m.user_id = u.id and m.org_id = a.org_id where u.id = a.decided_by_id::uuid)
  when 'end_user' then (select coalesce(display_name, external_id) from end_users where workspace_id = a.workspace_id and external_id = a.decided_by_id)
  end)`;

/** Names of the users and end users who decided approvals of a code run, by approval id. */
export async function findDeciderNames(db: Db, codeRunId: string): Promise<Map<string, string>> {
  const rows: { id: string; name: string | null }[] = await db('approvals as a')
    .select('a.id', db.raw(`${DECIDER_NAME} as name`))
    .where('a.code_run_id', codeRunId);
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}

const ACCOUNTS = `(select coalesce(json_agg(json_build_object('name', n.display_name, 'scope', n.scope, 'status', n.status,
    'ownerName', coalesce(eu.display_name, eu.external_id),
    'isReconnected', n.id = a.connection_id and n.credentials_version <> a.connection_version) order by n.display_name, n.id), '[]')
  from connections n left join end_users eu on eu.id = n.end_user_id
  where n.org_id = a.org_id and n.id = any(a.concerned_connection_ids))`;

/**
 * Calls of a code run are looked up by the run, because the index `calls_journal` starts with it.
 */
const CALLS = `(select coalesce(json_agg(json_build_object('status', status, 'count', made)), '[]') from (
  select status, count(*) as made from (
    select status from calls where approval_id = a.id and code_run_id is null
    union all select status from calls where code_run_id = a.code_run_id and approval_id = a.id) of_approval
  group by status) by_status)`;

/**
 * Must imply the conditions of the indexes `approvals_last_approved_call` and
 * `approvals_last_approved_program`.
 */
const APPROVED_BEFORE = `l.status in ('approved', 'consumed') and l.decided_by_type <> 'policy' and l.approval_access_mode <> 'dashboard_only'
    and l.decided_at < coalesce(a.decided_at, now()) and l.id <> a.id and l.org_id = a.org_id`;

const LAST_APPROVED = `left join lateral (
  (select l.decided_at, l.input_preview, null::bytea as code, null as code_hash from approvals l
    where (a.code_run_id is null or a.call_number is not null) and ${APPROVED_BEFORE}
      and (l.code_run_id is null or l.call_number is not null)
      and l.workspace_id = a.workspace_id and l.integration_name = a.integration_name and l.action_name = a.action_name
      and coalesce(l.workspace_integration_id::text, '') = coalesce(a.workspace_integration_id::text, '')
      and coalesce(l.end_user_id, '') = coalesce(a.end_user_id, '')
    order by l.decided_at desc limit 1)
  union all
  (select l.decided_at, l.input_preview, lc.code, lc.code_hash from approvals l join code_runs lc on lc.org_id = l.org_id and lc.id = l.code_run_id
    where a.code_run_id is not null and a.call_number is null and ${APPROVED_BEFORE}
      and l.code_run_id is not null and l.call_number is null and l.code_run_id <> a.code_run_id
      and l.mcp_server_id = a.mcp_server_id and l.policy_id = a.policy_id and coalesce(l.end_user_id, '') = coalesce(a.end_user_id, '')
    order by l.decided_at desc limit 1)
) last on true`;

function toReview(row: Row): ApprovalReview {
  const { runStatus, code, runCodeHash, lastDecidedAt, lastPreview, lastCode, lastCodeHash, ...rest } = row;
  return {
    ...withoutApproval(rest),
    approval: Object.fromEntries(APPROVAL_FIELDS.map((name) => [name, row[name]])) as unknown as Approval,
    run: code && { status: runStatus!, code: decodePayload(code), codeHash: runCodeHash! },
    lastApproved: lastDecidedAt && {
      decidedAt: lastDecidedAt,
      inputPreview: lastPreview,
      code: lastCode && decodePayload<string>(lastCode),
      codeHash: lastCodeHash,
    },
  };
}

function withoutApproval<Rest extends Approval>(row: Rest): Omit<Rest, keyof Approval> {
  const ofApproval: readonly string[] = APPROVAL_FIELDS;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !ofApproval.includes(name))) as Omit<Rest, keyof Approval>;
}

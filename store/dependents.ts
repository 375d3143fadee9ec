import {
  DEPENDENT_CAP,
  DEPENDENT_DAYS,
  DEPENDENT_NAMES,
  type DependedKind,
  type DependentCount,
  type DependentName,
  type Dependents,
} from '../domain/impact/dependents.ts';
import type { Db } from '../infra/database.ts';

/** Maximum number of calls or approvals to read, newest first. This limit keeps pages fast. */
const SCANNED = 100_000;

interface Uses {
  table: 'calls' | 'approvals';
  time: 'started_at' | 'created_at';
  matching: string;
}

const calls = (matching: string): Uses => ({ table: 'calls', time: 'started_at', matching });
const approvals = (matching: string): Uses => ({ table: 'approvals', time: 'created_at', matching });
const rows = (table: string, matching: string) => `${table} where org_id = :orgId and ${matching}`;
const waiting = (matching: string) => rows('approvals', `status = 'pending' and (${matching})`);
const unfinished = (matching: string) => rows('code_runs', `status in ('running', 'waiting') and ${matching}`);
const serversOfTools = (matching: string) =>
  `(select server_id from mcp_tools where org_id = :orgId and ${matching} group by server_id) servers`;

const USABLE = '(expires_at is null or expires_at > now())';
const BY_TOKEN = `requested_by_type = 'mcp_token' and requested_by_id = :id`;
const OF_TOKEN = 'from mcp_tokens where org_id = :orgId and id = :id';
const PERSON_OF_TOKEN = `(select external_id from end_users where org_id = :orgId and id = (select end_user_id ${OF_TOKEN}))`;
const THROUGH_SERVER_OF_TOKEN = `mcp_server_id = (select server_id ${OF_TOKEN}) and end_user_id = ${PERSON_OF_TOKEN}`;
const EXTERNAL_ID = '(select external_id from end_users where org_id = :orgId and id = :id)';
const THEIR_WORKSPACE = '(select workspace_id from end_users where org_id = :orgId and id = :id)';
const THEIRS = `workspace_id = ${THEIR_WORKSPACE} and end_user_id = ${EXTERNAL_ID}`;
const INSTANCES = '(select id from workspace_integrations where org_id = :orgId and connection_id = :id)';
const ACCOUNTS_OF_APP = `org_id = :orgId and type in ('OAUTH2', 'PLATFORM_OAUTH2')
  and integration_name = (select integration_name from oauth_apps where org_id = :orgId and id = :id)`;
const POLICY_OF_WEBHOOK = '(select policy_id from webhook_endpoints where org_id = :orgId and id = :id)';
const NAMES_MEMBER = `cast(approvers as jsonb) @> jsonb_build_array(jsonb_build_object('type', 'dashboard_user', 'userIds', jsonb_build_array(cast(:id as text))))`;

const OF_SERVER = {
  uses: calls('mcp_server_id = :id'),
  tokens: rows('mcp_tokens', `server_id = :id and ${USABLE}`),
  policies: rows('approval_policies', ':id = any(mcp_server_ids)'),
  waiting: waiting('mcp_server_id = :id'),
};

/** `uses` and `calls` count past uses. The others count rows that a deletion or change affects. */
const COUNTED: Record<DependedKind, { uses: Uses } & Partial<Record<Exclude<DependentName, 'uses'>, string>>> = {
  workspace: {
    uses: calls('workspace_id = :id'),
    integrations: rows('workspace_integrations', 'workspace_id = :id'),
    servers: rows('mcp_servers', 'workspace_id = :id'),
    people: rows('end_users', 'workspace_id = :id'),
    connections: rows('connections', 'workspace_id = :id'),
    policies: rows('approval_policies', 'workspace_id = :id'),
    waiting: waiting('workspace_id = :id'),
    runs: unfinished('workspace_id = :id'),
  },
  workspaceIntegration: {
    uses: calls('workspace_integration_id = :id'),
    servers: serversOfTools('source_workspace_integration_id = :id'),
    presets: rows('partials', 'workspace_integration_id = :id'),
    policies: rows('approval_policies', ':id = any(workspace_integration_ids)'),
    waiting: waiting(':id = any(concerned_integration_ids)'),
  },
  connection: {
    uses: calls('connection_id = :id'),
    integrations: rows('workspace_integrations', 'connection_id = :id'),
    servers: serversOfTools(`(connection_id = :id or source_workspace_integration_id in ${INSTANCES})`),
    waiting: waiting(':id = any(concerned_connection_ids)'),
  },
  mcpServer: { ...OF_SERVER, runs: unfinished('mcp_server_id = :id') },
  suspendedServer: OF_SERVER,
  mcpToken: {
    uses: calls(BY_TOKEN),
    waiting: waiting(BY_TOKEN),
  },
  // Access tokens are replaced every 15 minutes, so calls are found by MCP server and end user.
  oauthToken: {
    uses: calls(THROUGH_SERVER_OF_TOKEN),
    waiting: waiting(THROUGH_SERVER_OF_TOKEN),
  },
  endUser: {
    uses: calls(THEIRS),
    servers: rows('mcp_servers', 'end_user_id = :id'),
    tokens: rows('mcp_tokens', `end_user_id = :id and ${USABLE}`),
    connections: rows('connections', 'end_user_id = :id'),
    waiting: waiting(
      `${THEIRS} or mcp_server_id in (select id from mcp_servers where org_id = :orgId and end_user_id = :id)
       or concerned_connection_ids && array(select id from connections where org_id = :orgId and end_user_id = :id)`,
    ),
    runs: unfinished(THEIRS),
  },
  apiKey: {
    uses: calls(`requested_by_type = 'api_key' and requested_by_id = :id`),
    waiting: waiting(`requested_by_type = 'api_key' and requested_by_id = :id`),
  },
  oauthApp: {
    uses: calls(`connection_id in (select id from connections where ${ACCOUNTS_OF_APP})`),
    connections: `connections where ${ACCOUNTS_OF_APP}`,
  },
  ownIntegration: {
    uses: calls('integration_name = :id'),
    servers: serversOfTools('integration_name = :id'),
    policies: rows('approval_policies', ':id = any(integration_names)'),
    waiting: waiting('integration_name = :id'),
  },
  encryptionKey: {
    uses: calls('connection_id is not null'),
    connections: rows('connections', 'true'),
  },
  signingKeys: {
    uses: calls(`requested_by_type = 'mcp_token'`),
    servers: rows('mcp_servers', `auth_mode <> 'bearer'`),
    tokens: rows('mcp_tokens', `kind = 'oauth' and ${USABLE}`),
  },
  policy: {
    uses: approvals('policy_id = :id'),
    calls: rows('calls', `started_at > now() - interval '${DEPENDENT_DAYS} days' and facts is not null and facts_policy_id = :id`),
    waiting: waiting('policy_id = :id'),
  },
  webhook: {
    uses: approvals(`policy_id = ${POLICY_OF_WEBHOOK}`),
    waiting: waiting(`policy_id = ${POLICY_OF_WEBHOOK}`),
    deliveries: rows('webhook_deliveries', 'endpoint_id = :id and next_attempt_at is not null'),
  },
  member: {
    uses: approvals(`decided_by_type = 'user' and decided_by_id = :id`),
    policies: rows('approval_policies', NAMES_MEMBER),
    waiting: waiting(`policy_id in (select id from approval_policies where org_id = :orgId and ${NAMES_MEMBER})`),
  },
};

/**
 * Counts what depends on a record of the organization. `uses` counts the last `DEPENDENT_DAYS`
 * days. With `names`, only `uses` and these names are counted. The other counts are 0.
 */
export async function countDependents(
  db: Db,
  orgId: string,
  { kind, id, names = DEPENDENT_NAMES }: { kind: DependedKind; id: string; names?: readonly DependentName[] },
): Promise<Dependents> {
  const { uses, ...others } = COUNTED[kind];
  const columns = Object.entries(others)
    .filter(([name]) => names.includes(name as DependentName))
    .map(([name, from]) => `(select count(*)::int from (select from ${from} limit ${DEPENDENT_CAP + 1}) found) as "${name}"`);
  const { rows: found } = await db.raw(`select ${['used.*', ...columns].join(', ')} from (${usesSql(uses)}) used`, { orgId, id });
  const counts: { scanned: number } & Partial<Record<DependentName, number>> = found[0];
  return Object.fromEntries(
    DEPENDENT_NAMES.map((name) => [name, boundedCount(counts[name] ?? 0, name === 'uses' && counts.scanned > SCANNED)]),
  ) as Dependents;
}

function usesSql({ table, time, matching }: Uses): string {
  const newest = `select * from ${table} where org_id = :orgId and ${time} > now() - interval '${DEPENDENT_DAYS} days'
    order by ${time} desc limit ${SCANNED + 1}`;
  return `select (count(*) filter (where ${matching}))::int as uses, count(*)::int as scanned from (${newest}) newest`;
}

function boundedCount(count: number, isPart: boolean): DependentCount {
  return { count: Math.min(count, DEPENDENT_CAP), isMore: count > DEPENDENT_CAP || isPart };
}

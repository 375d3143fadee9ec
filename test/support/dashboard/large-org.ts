import { SCREENS } from '../../../api/pages/app/screens.ts';
import type { Db } from '../../../infra/database.ts';
import type { Amounts } from './amounts.ts';
import { fillConfiguration, fillPolicies } from './fill-config.ts';
import { fillHistory } from './fill-history.ts';

/** Records of a large organization, for the screens of single records. */
export interface Heaviest {
  workspaceId: string;
  /** A workspace without records. */
  emptyId: string;
  alias: string;
  serverId: string;
  tokenId: string;
  connectionId: string;
  personId: string;
  keyId: string;
  memberId: string;
  policyId: string;
  endpointId: string;
  approvalId: string;
  usedApprovalId: string;
  /** Up to 50 pending approvals, the maximum of one bulk decision. */
  waitingIds: string[];
  deliveryId: string;
  runId: string;
}

/** The filled tables. Query plans depend on their statistics. */
const FILLED = [
  ...['approvals', 'calls', 'code_runs', 'webhook_deliveries', 'activity', 'activity_seals', 'receipts', 'approval_policies'],
  ...['approval_policy_versions', 'connections', 'end_users', 'mcp_servers', 'mcp_tokens', 'workspaces', 'workspace_integrations'],
  ...['api_keys', 'memberships', 'users', 'webhook_endpoints', 'approval_counts', 'approval_count_changes'],
];

/** Fills an organization that has one workspace, and returns its heaviest records. */
export async function fillLargeOrg(db: Db, orgId: string, amounts: Amounts): Promise<Heaviest> {
  await db.transaction(async (tx) => {
    await fillConfiguration(tx, orgId, amounts);
    await fillPolicies(tx, orgId, amounts);
    await fillHistory(tx, orgId, amounts);
  });
  for (const table of FILLED) await db.raw('vacuum analyze ??', [table]);
  return findHeaviest(db, orgId);
}

async function findHeaviest(db: Db, orgId: string): Promise<Heaviest> {
  const { rows } = await db.raw(
    `select s.workspace_id as "workspaceId", s.id as "serverId", c.connection_id as "connectionId", i.alias, c.requested_by_id as "keyId",
       (select id from workspaces where org_id = :orgId and slug = 'empty') as "emptyId",
       (select id from mcp_tokens where server_id = s.id order by created_at, id limit 1) as "tokenId",
       (select id from end_users where workspace_id = s.workspace_id and external_id = c.end_user_id) as "personId",
       (select user_id from memberships where org_id = :orgId and role = 'member' order by user_id limit 1) as "memberId",
       (select id from approval_policies where org_id = :orgId and priority = 1) as "policyId",
       (select id from webhook_endpoints where org_id = :orgId order by url limit 1) as "endpointId",
       (select id from approvals where org_id = :orgId and status = 'pending' order by created_at desc limit 1) as "approvalId",
       (select array_agg(id) from (select id from approvals where org_id = :orgId and status = 'pending' limit 50) w) as "waitingIds",
       (select id from approvals where org_id = :orgId and status = 'consumed' order by created_at desc limit 1) as "usedApprovalId",
       (select id from webhook_deliveries where org_id = :orgId order by number desc limit 1) as "deliveryId",
       (select id from code_runs where org_id = :orgId order by created_at desc limit 1) as "runId"
     from (select * from mcp_servers where org_id = :orgId order by created_at, id limit 1) s
       cross join lateral (select * from calls where mcp_server_id = s.id and code_run_id is null order by started_at limit 1) c
       join workspace_integrations i on i.id = c.workspace_integration_id`,
    { orgId },
  );
  return rows[0];
}

/** Parameters by the beginning of a path. The first matching entry applies. */
const PARAMETERS: readonly [string, (heaviest: Heaviest) => Record<string, string>][] = [
  ['/approvals/{id}/receipt', ({ usedApprovalId }) => ({ id: usedApprovalId })],
  ['/approvals/{id}', ({ approvalId }) => ({ id: approvalId })],
  ['/runs/{id}', ({ runId }) => ({ id: runId })],
  ['/policies/{id}', ({ policyId }) => ({ id: policyId, version: '1' })],
  ['/workspaces/{id}', ({ workspaceId, alias }) => ({ id: workspaceId, alias })],
  ['/connections/{id}', ({ connectionId }) => ({ id: connectionId })],
  ['/people/{id}', ({ personId }) => ({ id: personId })],
  ['/keys/{id}', ({ keyId }) => ({ id: keyId })],
  // DigitalOcean has one of the longest definition files.
  ['/integrations/{name}', () => ({ name: 'digitalocean' })],
  ['/servers/{id}', ({ serverId, tokenId }) => ({ id: serverId, tokenId })],
  ['/webhooks/endpoints/{id}', ({ endpointId }) => ({ id: endpointId })],
  ['/webhooks/deliveries/{id}', ({ deliveryId }) => ({ id: deliveryId })],
  ['/settings/members/{id}', ({ memberId }) => ({ id: memberId })],
  ['/', () => ({})],
];

const NARROWED = [
  ...['/approvals?status=all', '/approvals?integration=github', '/policies?policy=99', '/runs?status=failed', '/webhooks?status=failed'],
  ...[
    '/activity?text=nowhere',
    '/activity?type=webhook.delivered',
    '/people?text=person-49',
    '/servers?name=19',
    '/connections?status=ERROR',
  ],
  ...['/integrations?q=mail', '/go?q=Policy', '/playground/action?integration=http&action=send_request'],
];
const OF_WORKSPACE = ['/', '/approvals', '/policies', '/runs', '/connections', '/servers', '/people', '/webhooks', '/activity'];

const EXPORTS = /\/export\./;

/** Paths of the dashboard's pages below /app, without exports. */
export function pathsOf(heaviest: Heaviest): string[] {
  const shown = SCREENS.filter(({ get, path }) => get && !EXPORTS.test(path)).map(({ path }) => path);
  return [
    ...shown.map((path) => fill(path, heaviest)),
    ...NARROWED,
    `/approvals/decide?${new URLSearchParams([['decision', 'approve'], ...heaviest.waitingIds.map((id): [string, string] => ['id', id])])}`,
    ...[heaviest.workspaceId, heaviest.emptyId].flatMap((id) => OF_WORKSPACE.map((path) => `${path}?workspace=${id}`)),
  ];
}

function fill(path: string, heaviest: Heaviest): string {
  const values = PARAMETERS.find(([start]) => path.startsWith(start))![1](heaviest);
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? NOBODY));
}

/** An id that no record has, for kinds that a large organization lacks, such as OAuth apps. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

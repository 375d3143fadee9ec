import type { Db } from '../../../infra/database.ts';
import type { Amounts } from './amounts.ts';

/** SQL array of the actions in the generated records, as integration/action. */
export const ACTIONS = `(array['http/send_request', 'github/create_issue', 'slack/send_message', 'stripe/create_refund', 'hash-encode/hash',
  'storage/write_file', 'gmail/send_email', 'notion/create_page', 'hubspot/update_contact', 'datetime/now'])`;

/**
 * Inserts workspaces with integrations, people with connections, servers with tokens, API keys and
 * members.
 */
export async function fillConfiguration(db: Db, orgId: string, amounts: Amounts): Promise<void> {
  const run = (sql: string, more: object = {}) => db.raw(sql, { orgId, ...more });
  await run(
    `insert into workspaces (org_id, name, slug, created_at)
     select :orgId, 'Workspace ' || n, 'workspace-' || n, now() - interval '60 days' + n * interval '1 hour' from generate_series(1, :count) n`,
    { count: amounts.workspaces - 1 },
  );
  await run(
    `insert into end_users (org_id, workspace_id, external_id, display_name, email, created_at)
     select :orgId, w.ids[1 + n % cardinality(w.ids)], 'person-' || n, 'Person ' || n, 'person-' || n || '@example.com',
       now() - interval '50 days' + n * interval '10 minutes'
     from generate_series(1, :count) n, ${WORKSPACES} w`,
    { count: amounts.people },
  );
  await run(
    `insert into connections (org_id, workspace_id, end_user_id, external_id, display_name, integration_name, auth_method_key, type, status, scope,
       sealed_credentials, created_at)
     select :orgId, u.workspace_id, case when u.n % 4 > 0 then u.id end, 'account-' || u.n, 'Account ' || u.n,
       (array['github', 'slack', 'stripe', 'gmail', 'notion', 'hubspot'])[1 + u.n % 6], 'token', 'SECRET_TEXT',
       case when u.n % 25 = 0 then 'ERROR' else 'ACTIVE' end, case when u.n % 4 > 0 then 'USER' else 'WORKSPACE' end, '\\x00',
       now() - interval '40 days' + u.n * interval '5 minutes'
     from (select *, row_number() over (order by created_at, id) as n from end_users where org_id = :orgId) u where u.n <= :count`,
    { count: amounts.connections },
  );
  await run(
    `insert into workspace_integrations (org_id, workspace_id, integration_name, alias, connection_strategy, connection_id)
     select :orgId, w.id, i.name, i.name, 'fixed',
       (select c.id from connections c where c.workspace_id = w.id and c.integration_name = i.name and c.end_user_id is null order by c.id limit 1)
     from workspaces w, (select distinct split_part(a, '/', 1) as name from unnest(${ACTIONS}) a) i where w.org_id = :orgId`,
  );
  await run(
    `insert into mcp_servers (org_id, workspace_id, name, mode, auth_mode, end_user_access, created_at)
     select :orgId, w.ids[1 + n % cardinality(w.ids)], 'Server ' || n, case when n % 2 = 0 then 'CODE' else 'TOOLS' end, 'oauth_and_bearer', 'open',
       now() - interval '45 days' + n * interval '1 hour'
     from generate_series(1, :count) n, ${WORKSPACES} w`,
    { count: amounts.servers },
  );
  await run(
    `insert into mcp_tokens (org_id, workspace_id, server_id, kind, token_prefix, token_hash, end_user_id, scopes, expires_at, last_used_at)
     select s.org_id, s.workspace_id, s.id, 'end_user', 'mcp_' || u.n, sha256(convert_to(s.id || ' ' || u.id, 'UTF8')), u.id, '{}',
       now() + interval '30 days', now() - u.n * interval '1 minute'
     from (select * from mcp_servers where org_id = :orgId order by created_at limit 20) s
       join (select *, row_number() over (partition by workspace_id order by created_at, id) as n from end_users where org_id = :orgId) u
         on u.workspace_id = s.workspace_id and u.n <= 100`,
  );
  await run("insert into workspaces (org_id, name, slug) values (:orgId, 'Empty', 'empty')");
  await run(
    `insert into api_keys (org_id, name, key_prefix, key_hash, permissions, scope, may_decide)
     select :orgId, 'Key ' || n, 'sk_' || n, sha256(convert_to(:orgId::text || ' key ' || n, 'UTF8')), '{}', 'org', true from generate_series(1, 50) n`,
  );
  await run(
    `with made as (insert into users (email) select 'member-' || n || '-' || :orgId::text || '@example.com' from generate_series(1, 100) n returning id, email)
     insert into memberships (org_id, user_id, role, display_name, joined_at) select :orgId, id, 'member', split_part(email, '@', 1), now() from made`,
  );
}

/** Inserts policies of several kinds. */
export async function fillPolicies(db: Db, orgId: string, amounts: Amounts): Promise<void> {
  await db.raw(
    `insert into approval_policies (org_id, workspace_id, name, enabled, mode, priority, sources, mcp_server_ids, workspace_integration_ids,
       integration_names, integration_aliases, action_names, connection_strategies, end_user_mode, decision, risk_mode, rules, approvers,
       timeout_seconds, default_on_timeout, approval_access_mode, created_at)
     select :orgId, case when n % 3 = 0 then w.ids[1 + n % cardinality(w.ids)] end, 'Policy ' || n, n % 20 > 0,
       case when n % 10 = 0 then 'shadow' else 'enforce' end, n, '{rest,sdk,mcp_tools,mcp_code}', '{}', '{}',
       array[split_part(${ACTIONS}[1 + n % 10], '/', 1)], '{}', array[split_part(${ACTIONS}[1 + n % 10], '/', 2), 'action-' || n], '{}', 'any',
       (array['require_approval', 'require_approval', 'auto_approve', 'notify_only', 'block'])[1 + n / 10 % 5], 'rules',
       json_build_object('recipientDenylist', (select json_agg('somebody-' || n || '-' || r || '@example.com') from generate_series(1, 20) r)),
       case when n % 10 = 5 then json_build_array(json_build_object('type', 'webhook', 'webhookUrl', 'https://hooks.example.com/' || n))
         else '[{"type":"org_role","roles":["owner","admin","member"]}]' end,
       3600, 'reject', 'dashboard_only', now() - interval '30 days' + n * interval '1 minute'
     from generate_series(1, :count) n, ${WORKSPACES} w`,
    { orgId, count: amounts.policies },
  );
  await db.raw(
    `insert into webhook_endpoints (org_id, policy_id, url, sealed_secret)
     select org_id, id, 'https://hooks.example.com/' || priority, '\\x00' from approval_policies where org_id = :orgId and priority % 10 = 5`,
    { orgId },
  );
  await db.raw(
    `insert into approval_policy_versions (policy_id, version, org_id, from_policies_version, changed_by_type, created_at, fields)
     select p.id, v, p.org_id, v, 'system', p.created_at + v * interval '1 minute', json_build_object(
       'workspaceId', p.workspace_id, 'name', p.name || ' ' || v, 'description', null, 'enabled', true, 'mode', p.mode, 'priority', p.priority,
       'sources', p.sources, 'mcpServerIds', p.mcp_server_ids, 'workspaceIntegrationIds', p.workspace_integration_ids,
       'integrationNames', p.integration_names, 'integrationAliases', p.integration_aliases, 'actionNames', p.action_names,
       'connectionStrategies', p.connection_strategies, 'endUserMode', p.end_user_mode, 'decision', p.decision, 'riskMode', p.risk_mode,
       'rules', p.rules, 'approvers', p.approvers, 'timeoutSeconds', p.timeout_seconds, 'defaultOnTimeout', p.default_on_timeout,
       'reuseWindowSeconds', p.reuse_window_seconds, 'approvalAccessMode', p.approval_access_mode, 'metadata', p.metadata)
     from approval_policies p, generate_series(1, case when p.priority = 1 then 50 else 1 end) v where p.org_id = :orgId`,
    { orgId },
  );
  await db('orgs').where({ id: orgId }).increment('policies_version', amounts.policies);
}

/** One row with the ids of the workspaces, without the workspace `empty`. */
const WORKSPACES = "(select array_agg(id order by created_at, id) as ids from workspaces where org_id = :orgId and slug <> 'empty')";

import type { Db } from '../../../infra/database.ts';
import { encodePayload } from '../../../store/payload.ts';
import type { Amounts } from './amounts.ts';
import { ACTIONS } from './fill-config.ts';

/** Inserts approvals, calls, runs, deliveries and activity, spread evenly over 30 days. */
export async function fillHistory(db: Db, orgId: string, amounts: Amounts): Promise<void> {
  const run = (sql: string, more: object = {}) => db.raw(sql, { orgId, ...more });
  await run(`create temporary table place on commit drop as
    select row_number() over (order by s.created_at, s.id) - 1 as number, s.workspace_id, s.id as server_id,
      (select id from workspace_integrations i where i.workspace_id = s.workspace_id order by alias limit 1) as instance_id,
      (select id from connections c where c.workspace_id = s.workspace_id and c.end_user_id is not null order by created_at, id limit 1) as connection_id,
      (select external_id from end_users u where u.workspace_id = s.workspace_id order by created_at, id limit 1) as person
    from (select * from mcp_servers where org_id = :orgId order by created_at, id limit 20) s`);
  await run(
    `create temporary table asker on commit drop as select
       (select array_agg(id::text order by created_at, id) from api_keys where org_id = :orgId) as keys,
       (select array_agg(user_id::text order by user_id) from memberships where org_id = :orgId) as members,
       (select array_agg(id order by priority) from approval_policies where org_id = :orgId) as policies,
       (select array_agg(id order by priority) from approval_policies where org_id = :orgId and mode = 'shadow') as shadows`,
  );
  await run(
    `insert into approvals (id, org_id, workspace_id, policy_id, policy_version, policy_name, approvers, mcp_server_id, workspace_integration_id,
       connection_strategy, end_user_id, source, status, integration_name, integration_alias, action_name, input_hash, input_preview, redacted_paths,
       risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, requested_by_id, decided_by_type,
       decided_by_id, decided_at, consumed_at, expires_at, created_at, updated_at, facts)
     select 'apr_' || lpad(n::text, 22, '0'), :orgId, p.workspace_id, k.policies[1 + m.policy], 1, 'Policy ' || 1 + m.policy,
       '[{"type":"org_role","roles":["owner","admin","member"]}]', p.server_id, p.instance_id, 'fixed', p.person,
       case when n % 3 = 0 then 'mcp_tools' else 'rest' end, m.status, split_part(m.action, '/', 1), split_part(m.action, '/', 1),
       split_part(m.action, '/', 2), md5(n::text), json_build_object('to', 'somebody@example.com', 'subject', 'Order ' || n, 'text', repeat('word ', 60)),
       '{}', '{"recipientDenylist: somebody@example.com"}', 'dashboard_only', 8000000, 'reject', :orgId::text || n, 'api_key',
       k.keys[1 + n % 50], case when m.status <> 'pending' then 'user' end, case when m.status <> 'pending' then k.members[1 + n % 100] end,
       case when m.status <> 'pending' then m.at + interval '5 minutes' end, case when m.status = 'consumed' then m.at + interval '6 minutes' end,
       case when m.status = 'pending' then now() + interval '10 days' else m.at + interval '1 hour' end, m.at, m.at,
       case when n % 2 = 0 then ${FACTS} end
     from generate_series(1, :count) n
       cross join lateral (select now() - (:count - n + 1) * interval '30 days' / :count as at, ${ACTIONS}[1 + n % 10] as action,
         case when n % 2 = 0 then 0 else n * 7919::bigint % :policies end as policy,
         case when n % 40 = 0 then 'pending' when n % 40 < 26 then 'consumed' when n % 40 < 31 then 'rejected' when n % 40 < 36 then 'expired'
           when n % 40 < 38 then 'canceled' else 'approved' end as status) m
       join place p on p.number = case when n % 2 = 0 then 0 else n % (select count(*) from place) end, asker k`,
    { count: amounts.approvals, policies: amounts.policies },
  );
  await run(
    `insert into receipts (org_id, approval_id, input_hash, expires_at, created_at)
     select org_id, id, input_hash, now() + interval '60 days', decided_at from approvals
     where org_id = :orgId and status in ('approved', 'consumed') and code_run_id is null`,
  );
  await run(
    `insert into calls (org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
       end_user_id, connection_id, requested_by_type, requested_by_id, input_hash, status, started_at, finished_at, facts)
     select :orgId, p.workspace_id, case when n % 3 = 0 then 'mcp_tools' else 'rest' end, p.server_id, p.instance_id, split_part(m.action, '/', 1),
       split_part(m.action, '/', 1), split_part(m.action, '/', 2), p.person, p.connection_id, 'api_key', k.keys[1 + case when n % 2 = 0 then 0 else n % 50 end],
       md5(n::text), case when n % 20 = 0 then 'failed' else 'succeeded' end, m.at, m.at + interval '1 second', ${FACTS}
     from generate_series(1, :count) n
       cross join lateral (select now() - (:count - n + 1) * interval '30 days' / :count as at, ${ACTIONS}[1 + n % 10] as action,
         case when n % 2 = 0 then 0 else n * 7919::bigint % :policies end as policy) m
       join place p on p.number = case when n % 2 = 0 then 0 else n % (select count(*) from place) end, asker k`,
    { count: amounts.calls, policies: amounts.policies },
  );
  await run(
    `insert into code_runs (id, org_id, workspace_id, mcp_server_id, end_user_id, requested_by_type, requested_by_id, status, code, code_hash,
       pass_number, running_ms, result, created_at, clock_started_at, finished_at, result_deleted_at)
     select 'crun_' || lpad(n::text, 22, '0'), :orgId, p.workspace_id, p.server_id, p.person, 'api_key', k.keys[1 + n % 50],
       case when n % 10 = 0 then 'failed' else 'executed' end, :code, md5(n::text), 1, 120, :result, m.at, m.at, m.at + interval '2 seconds',
       case when m.at < now() - interval '20 hours' then m.at + interval '1 day' end
     from generate_series(1, :count) n cross join lateral (select now() - (:count - n + 1) * interval '30 days' / :count as at) m
       join place p on p.number = case when n % 2 = 0 then 0 else n % (select count(*) from place) end, asker k`,
    {
      count: amounts.runs,
      code: encodePayload('const { digest } = await svc.hash.hash({ text: "a" });\nreturn digest;\n'.repeat(20)),
      result: encodePayload({ output: { digest: 'x' }, error: null, logs: [LOG_LINE], timings: { totalExecuteMs: 120, sandboxMs: 20 } }),
    },
  );
  // The newest run has made 200 calls, the maximum per run.
  await run(
    `insert into calls (org_id, workspace_id, source, mcp_server_id, workspace_integration_id, integration_name, integration_alias, action_name,
       connection_id, requested_by_type, requested_by_id, input_hash, request_hash, status, outcome, started_at, finished_at, started_ms, code_run_id,
       call_number, completion_number, input_preview)
     select r.org_id, r.workspace_id, 'mcp_code', r.mcp_server_id, p.instance_id, 'hash-encode', 'hash', 'hash', p.connection_id, 'api_key',
       r.requested_by_id, md5(r.id || c), md5(r.id || c), 'succeeded', :outcome, r.created_at + c * interval '5 ms', r.created_at + c * interval '9 ms',
       c * 5, r.id, c, c, :preview
     from code_runs r join place p on p.server_id = r.mcp_server_id,
       generate_series(0, case when r.id = 'crun_' || lpad(:newest, 22, '0') then 200 else :callsOfRun::int end - 1) c
     where r.org_id = :orgId`,
    {
      ...{ callsOfRun: amounts.callsOfRun, newest: String(amounts.runs) },
      ...{ outcome: encodePayload({ ok: true, output: { digest: 'x'.repeat(64) }, durationMs: 4 }), preview: encodePayload({ text: 'a' }) },
    },
  );
  await run(
    `insert into webhook_deliveries (org_id, approval_id, endpoint_id, event_type, payload, attempt, status, http_status, error_message, created_at,
       delivered_at)
     select :orgId, 'apr_' || lpad((1 + (n * 2 / 3) % :approvals)::text, 22, '0'), e.ids[1 + n % cardinality(e.ids)],
       case when n % 2 = 0 then 'approval.requested' else 'approval.approved' end, json_build_object('text', repeat('word ', 60)), 1 + n % 2, m.status, case when m.status = 'success' then 200 else 500 end,
       case when m.status = 'failed' then 'answered with 500' end, m.at, m.at + interval '1 second'
     from generate_series(1, :count) n
       cross join lateral (select now() - (:count - n + 1) * interval '30 days' / :count as at,
         case when n % 50 = 0 then 'failed' else 'success' end as status) m,
       (select array_agg(id order by url) as ids from webhook_endpoints where org_id = :orgId) e`,
    { count: amounts.deliveries, approvals: amounts.approvals },
  );
  // The positions are above 1,000,000, so above those that a running worker assigns meanwhile.
  await run(
    `with made as (
       insert into activity (org_id, workspace_id, type, actor_type, actor_id, approval_id, policy_id, integration_name, action_name, details, created_at)
       select :orgId, p.workspace_id, (array['approval.requested', 'approval.approved', 'webhook.delivered', 'receipt.consumed'])[1 + n % 4],
         case when n % 2 = 0 then 'user' else 'api_key' end, case when n % 2 = 0 then k.members[1 + n % 100] else k.keys[1 + n % 50] end,
         'apr_' || lpad((1 + n / 3 % :approvals)::text, 22, '0'), k.policies[1 + n % :policies], 'http', 'send_request',
         json_build_object('text', repeat('word ', 20)), now() - (:count - n + 1) * interval '30 days' / :count
       from generate_series(1, :count) n join place p on p.number = n % (select count(*) from place), asker k returning id)
     insert into activity_seals (org_id, position, activity_id, hash) select :orgId, 1000000 + row_number() over (order by id), id, md5(id::text) from made`,
    { count: amounts.activity, approvals: amounts.approvals, policies: amounts.policies },
  );
}

const LOG_LINE = { level: 'info', message: 'started', timestamp: '2026-11-01T00:00:00.000Z' };

const FACTS = `jsonb_strip_nulls(jsonb_build_object('policiesVersion', 1, 'strategy', 'fixed',
  'category', (array['read', 'write', 'send', 'payment', 'delete'])[1 + n % 5], 'values', jsonb_build_object('to', '~', 'amount', n),
  'recipients', jsonb_build_object('named', jsonb_build_array('somebody@example.com')),
  'hosts', jsonb_build_object('found', jsonb_build_array('api.example.com', 'www.example.com')),
  'decidedBy', case when n % 3 > 0 then
    jsonb_build_object('policyId', k.policies[1 + m.policy], 'version', 1, 'decision', 'auto_approve') end,
  'shadow', case when n % 10 = 0 then
    jsonb_build_array(jsonb_build_object('policyId', k.shadows[1 + n % cardinality(k.shadows)], 'version', 1, 'would', 'block')) end))`;

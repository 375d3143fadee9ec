import type { Knex } from 'knex';

/**
 * Policies, approvals, receipts, webhooks, calls and the outbox. Approvals and calls outlive their
 * workspace, so they have no foreign key to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table approval_policies (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      workspace_id uuid,
      version integer not null default 1,
      name text not null,
      description text,
      enabled boolean not null,
      priority integer not null check (priority between 0 and 10000),
      sources text[] not null,
      mcp_server_ids text[] not null,
      workspace_integration_ids text[] not null,
      integration_names text[] not null,
      integration_aliases text[] not null,
      action_names text[] not null,
      connection_strategies text[] not null,
      end_user_mode text not null check (end_user_mode in ('any', 'end_user_present', 'no_end_user')),
      decision text not null check (decision in ('block', 'require_approval', 'notify_only', 'auto_approve')),
      risk_mode text not null check (risk_mode in ('rules', 'always', 'model_assisted')),
      rules json not null,
      approvers json not null,
      timeout_seconds integer not null,
      default_on_timeout text not null check (default_on_timeout in ('reject', 'expire')),
      reuse_window_seconds integer,
      approval_access_mode text not null check (approval_access_mode in ('dashboard_only', 'dashboard_and_hosted_link', 'hosted_link_only')),
      metadata json,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );
    create index approval_policies_org on approval_policies (org_id, workspace_id);

    create table webhook_endpoints (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      policy_id uuid not null,
      url text not null,
      sealed_secret bytea not null,
      disabled_at timestamptz,
      created_at timestamptz not null default now(),
      unique (policy_id, url),
      unique (org_id, id)
    );

    create table approvals (
      id text primary key,
      org_id uuid not null references orgs on delete cascade,
      workspace_id uuid not null,
      policy_id uuid,
      policy_version integer,
      policy_name text,
      mcp_server_id uuid,
      workspace_integration_id uuid,
      connection_strategy text,
      end_user_id text,
      source text not null,
      status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'canceled', 'consumed')),
      integration_name text not null,
      integration_alias text,
      action_name text not null,
      input_hash text not null,
      input_preview json not null,
      redacted_paths text[] not null,
      risk_reasons text[] not null,
      risk_score double precision,
      risk_category text,
      approval_access_mode text not null,
      timeout_seconds integer not null,
      default_on_timeout text not null,
      idempotency_key text not null,
      code_run_id text,
      call_number integer,
      requested_by_type text not null,
      requested_by_id text,
      decided_by_type text,
      decided_by_id text,
      decision_reason text,
      decision_metadata json,
      decided_at timestamptz,
      consumed_at timestamptz,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (org_id, id)
    );
    create unique index approvals_one_pending on approvals (org_id, input_hash, policy_id) where status = 'pending' and code_run_id is null;
    create index approvals_by_hash on approvals (org_id, input_hash, created_at desc) where code_run_id is null;
    create index approvals_by_key on approvals (workspace_id, idempotency_key);
    create index approvals_by_run on approvals (code_run_id) where code_run_id is not null;
    create index approvals_list on approvals (org_id, created_at desc, id desc);
    create index approvals_pending on approvals (expires_at) where status = 'pending';

    create table receipts (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      approval_id text not null unique,
      input_hash text not null,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      foreign key (org_id, approval_id) references approvals (org_id, id) on delete cascade
    );

    create table webhook_deliveries (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null,
      approval_id text not null,
      endpoint_id uuid not null,
      event_type text not null,
      payload json not null,
      attempt integer not null default 0,
      status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'retrying')),
      http_status integer,
      error_message text,
      created_at timestamptz not null default now(),
      delivered_at timestamptz,
      foreign key (org_id, approval_id) references approvals (org_id, id) on delete cascade,
      foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade,
      unique (approval_id, endpoint_id, event_type)
    );

    create table outbox (
      id bigint generated always as identity primary key,
      kind text not null check (kind in ('approval-requested', 'approval-settled')),
      subject_id text not null,
      created_at timestamptz not null default now()
    );
    create index outbox_subject on outbox (subject_id);

    create table calls (
      id uuid primary key default gen_random_uuid(),
      org_id uuid not null references orgs on delete cascade,
      workspace_id uuid not null,
      source text not null,
      mcp_server_id uuid,
      workspace_integration_id uuid,
      integration_name text not null,
      integration_alias text,
      action_name text not null,
      end_user_id text,
      connection_id uuid,
      requested_by_type text not null,
      requested_by_id text,
      input_hash text not null,
      request_hash text,
      approval_id text,
      idempotency_key text,
      code_run_id text,
      call_number integer,
      completion_number integer,
      status text not null check (status in ('gated', 'blocked', 'executing', 'succeeded', 'failed', 'unknown')),
      outcome bytea,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      started_ms integer,
      foreign key (org_id, approval_id) references approvals (org_id, id)
    );
    create unique index calls_once_an_approval on calls (approval_id) where code_run_id is null;
    create unique index calls_once_a_key on calls (workspace_id, idempotency_key) where idempotency_key is not null;
    create unique index calls_journal on calls (code_run_id, call_number) where code_run_id is not null;
    create index calls_org on calls (org_id, started_at desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table calls, outbox, webhook_deliveries, receipts, approvals, webhook_endpoints, approval_policies');
}

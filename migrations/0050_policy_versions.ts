import type { Knex } from 'knex';

/**
 * Adds policies that only record what they would decide (`shadow`), and keeps every version of each
 * policy. A version applies from `from_policies_version` until `until_policies_version` of the
 * organization.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approval_policies add column mode text not null default 'enforce' check (mode in ('enforce', 'shadow'));
    create table approval_policy_versions (
      policy_id uuid not null,
      version integer not null,
      org_id uuid not null references orgs on delete cascade,
      fields json not null,
      from_policies_version bigint not null,
      until_policies_version bigint,
      restored_version integer,
      changed_by_type text not null,
      changed_by_id text,
      created_at timestamptz not null default now(),
      deleted_at timestamptz,
      primary key (policy_id, version)
    );
    create index approval_policy_versions_of_org on approval_policy_versions (org_id, from_policies_version);
    create index approval_policy_versions_deleted on approval_policy_versions (deleted_at) where deleted_at is not null;
    insert into approval_policy_versions
      (policy_id, version, org_id, from_policies_version, changed_by_type, created_at, fields)
    select p.id, p.version, p.org_id, o.policies_version, 'system', p.updated_at, json_build_object(
      'workspaceId', p.workspace_id, 'name', p.name, 'description', p.description, 'enabled', p.enabled, 'mode', p.mode,
      'priority', p.priority, 'sources', p.sources, 'mcpServerIds', p.mcp_server_ids,
      'workspaceIntegrationIds', p.workspace_integration_ids, 'integrationNames', p.integration_names,
      'integrationAliases', p.integration_aliases, 'actionNames', p.action_names, 'connectionStrategies', p.connection_strategies,
      'endUserMode', p.end_user_mode, 'decision', p.decision, 'riskMode', p.risk_mode, 'rules', p.rules, 'approvers', p.approvers,
      'timeoutSeconds', p.timeout_seconds, 'defaultOnTimeout', p.default_on_timeout, 'reuseWindowSeconds', p.reuse_window_seconds,
      'approvalAccessMode', p.approval_access_mode, 'metadata', p.metadata)
    from approval_policies p join orgs o on o.id = p.org_id;
    create index calls_shadow on calls using gin ((facts -> 'shadow') jsonb_path_ops) where (facts -> 'shadow') is not null;
    create index approvals_shadow on approvals using gin ((facts -> 'shadow') jsonb_path_ops) where (facts -> 'shadow') is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index calls_shadow, approvals_shadow;
    drop table approval_policy_versions;
    alter table approval_policies drop column mode;
  `);
}

import type { Knex } from 'knex';

/**
 * State of persistent sandboxes between runs (specification 2.6, settings.advancedCode). Only one
 * run at a time can hold a folder.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sandbox_workspaces (
      org_id uuid not null,
      workspace_id uuid not null,
      workspace_integration_id uuid not null,
      end_user_id text collate "C" not null,
      held_by uuid,
      held_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (workspace_integration_id, end_user_id),
      check ((held_by is null) = (held_until is null)),
      foreign key (org_id, workspace_id, workspace_integration_id)
        references workspace_integrations (org_id, workspace_id, id) on delete cascade
    );

    create table sandbox_files (
      workspace_integration_id uuid not null,
      end_user_id text collate "C" not null,
      path text collate "C" not null check (octet_length(path) between 1 and 1024),
      content bytea not null check (octet_length(content) <= 4194304),
      is_executable boolean not null,
      primary key (workspace_integration_id, end_user_id, path),
      foreign key (workspace_integration_id, end_user_id) references sandbox_workspaces on delete cascade
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table sandbox_files, sandbox_workspaces');
}

import type { Knex } from 'knex';

/** Code runs and their timers. A paused run is replayed from its timers and its rows in `calls`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table code_runs (
      id text primary key,
      org_id uuid not null references orgs on delete cascade,
      workspace_id uuid not null,
      mcp_server_id uuid not null,
      end_user_id text,
      requested_by_type text not null,
      requested_by_id text,
      status text not null check (status in ('running', 'waiting', 'executed', 'failed', 'rejected', 'expired', 'canceled')),
      code bytea not null,
      code_hash text not null,
      tool_surface_hash text,
      plan bytea,
      pass_number integer not null default 0,
      running_ms integer not null default 0,
      result bytea,
      created_at timestamptz not null default now(),
      finished_at timestamptz
    );
    create index code_runs_org on code_runs (org_id, created_at desc);
    create index code_runs_unfinished on code_runs (org_id) where status in ('running', 'waiting');

    create table code_run_timers (
      code_run_id text not null references code_runs on delete cascade,
      number integer not null,
      delay_ms integer not null,
      due_at timestamptz not null,
      completion_number integer,
      completed_at timestamptz,
      primary key (code_run_id, number)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table code_run_timers, code_runs');
}

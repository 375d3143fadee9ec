import type { Knex } from 'knex';

/**
 * Adds columns for resuming a run. `due_ms`: the running time of a run at which a timer is due.
 * Running time does not advance while people decide.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table code_run_timers add column due_ms bigint;
    alter table code_runs add column replay_version integer, add column seen_at timestamptz not null default now();
    create index calls_of_runs_executing on calls (started_at) where status = 'executing' and code_run_id is not null;
    create index code_runs_unseen on code_runs (seen_at) where status in ('running', 'waiting');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index code_runs_unseen, calls_of_runs_executing;
    alter table code_runs drop column replay_version, drop column seen_at;
    alter table code_run_timers drop column due_ms;
  `);
}

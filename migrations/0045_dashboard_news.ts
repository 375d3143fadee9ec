import type { Knex } from 'knex';

/**
 * Notifies open pages of the dashboard. An approval that a policy decides immediately sends no
 * notification, because such approvals are frequent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function tell_dashboard() returns trigger language plpgsql as $$
    declare changed record := coalesce(new, old);
    begin
      perform pg_notify('dashboard_news', changed.org_id || '/' || tg_argv[0] || '/' || changed.id);
      return null;
    end $$;
    create trigger dashboard_asked after insert on approvals
      for each row when (new.status = 'pending') execute function tell_dashboard('approvals');
    create trigger dashboard_decided after update of status on approvals
      for each row when (old.status is distinct from new.status) execute function tell_dashboard('approvals');
    create trigger dashboard_started after insert on code_runs
      for each row execute function tell_dashboard('runs');
    create trigger dashboard_advanced after update of status on code_runs
      for each row when (old.status is distinct from new.status) execute function tell_dashboard('runs');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger dashboard_asked on approvals;
    drop trigger dashboard_decided on approvals;
    drop trigger dashboard_started on code_runs;
    drop trigger dashboard_advanced on code_runs;
    drop function tell_dashboard();
  `);
}

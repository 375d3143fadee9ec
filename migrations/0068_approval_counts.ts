import type { Knex } from 'knex';

/**
 * Counts approvals, by the columns that lists filter by. A change adds rows to
 * `approval_count_changes`, which the worker merges into `approval_counts`.
 * So changes do not wait for each other, and the sum of both tables is exact in every snapshot.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table approval_counts (
      ${COLUMNS.map((column) => `${column.name} ${column.type} not null`).join(', ')},
      total bigint not null,
      primary key (${NAMES})
    ) with (fillfactor = 50);
    create table approval_count_changes (
      ${COLUMNS.map((column) => `${column.name} ${column.type} not null`).join(', ')},
      total bigint not null
    );
    create index approval_count_changes_list on approval_count_changes (org_id, workspace_id, status);

    create function count_approvals() returns trigger language plpgsql as $$
    begin
      insert into approval_count_changes (${NAMES}, total)
        select ${NAMES}, count(*) * tg_argv[0]::int from changed group by ${NAMES};
      return null;
    end $$;
    create function recount_approval() returns trigger language plpgsql as $$
    begin
      insert into approval_count_changes (${NAMES}, total) values (${of('old')}, -1), (${of('new')}, 1);
      return null;
    end $$;
    create trigger approvals_counted after insert on approvals referencing new table as changed
      for each statement execute function count_approvals('1');
    create trigger approvals_uncounted after delete on approvals referencing old table as changed
      for each statement execute function count_approvals('-1');
    create trigger approvals_recounted after update of ${NAMES} on approvals
      for each row when ((${of('old')}) is distinct from (${of('new')})) execute function recount_approval();

    -- Creating the triggers locked the table against changes, so this counts exactly the older rows.
    insert into approval_counts (${NAMES}, total) select ${NAMES}, count(*) from approvals group by ${NAMES};
  `);
}

const COLUMNS = [
  { name: 'org_id', type: 'uuid' },
  { name: 'workspace_id', type: 'uuid' },
  { name: 'status', type: 'text' },
  { name: 'source', type: 'text' },
  { name: 'integration_name', type: 'text' },
  { name: 'action_name', type: 'text' },
];

const NAMES = COLUMNS.map(({ name }) => name).join(', ');

function of(row: 'old' | 'new'): string {
  return COLUMNS.map(({ name }) => `${row}.${name}`).join(', ');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger approvals_counted on approvals;
    drop trigger approvals_uncounted on approvals;
    drop trigger approvals_recounted on approvals;
    drop function count_approvals();
    drop function recount_approval();
    drop table approval_counts, approval_count_changes;
  `);
}

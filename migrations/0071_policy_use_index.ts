import type { Knex } from 'knex';
import { retry } from '../infra/concurrency/retry.ts';
import { buildIndex } from './build-index.ts';

/**
 * Without a transaction, batches commit one by one and indexes build concurrently, so that writers
 * wait only briefly.
 */
export const config = { transaction: false };

/**
 * Fills the columns of `0064_policy_use.ts`. An interrupted run can be repeated. An earlier form of
 * 0064 made generated columns, which become plain columns.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows: generated } = await knex.raw(
    `select attrelid::regclass::text as table, attname as column from pg_attribute
     where attrelid in ('calls'::regclass, 'approvals'::regclass) and attname like 'facts\\_%' and attgenerated <> '' and not attisdropped`,
  );
  for (const { table, column } of generated) await define(knex, `alter table ${table} alter column ${column} drop expression`);
  await define(knex, SET_COLUMNS);
  await fill(knex, 'calls', 'started_at');
  await fill(knex, 'approvals', 'created_at');
  await buildIndex(
    knex,
    'calls_policy_use',
    'calls (org_id, started_at) include (workspace_id, facts_policy_id, facts_decision, facts_category) where facts is not null',
  );
  await buildIndex(
    knex,
    'approvals_policy_use',
    "approvals (org_id, created_at) include (workspace_id, policy_id, facts_category) where code_run_id is null and status <> 'consumed'",
  );
}

const SET_COLUMNS = `
  create or replace function set_fact_columns_of_call() returns trigger language plpgsql as $$
  begin
    new.facts_category := new.facts ->> 'category';
    new.facts_decision := new.facts -> 'decidedBy' ->> 'decision';
    new.facts_policy_id := (new.facts -> 'decidedBy' ->> 'policyId')::uuid;
    return new;
  end $$;
  create or replace function set_fact_columns_of_approval() returns trigger language plpgsql as $$
  begin
    new.facts_category := new.facts ->> 'category';
    return new;
  end $$;
  create or replace trigger calls_fact_columns before insert or update of facts on calls
    for each row execute function set_fact_columns_of_call();
  create or replace trigger approvals_fact_columns before insert or update of facts on approvals
    for each row execute function set_fact_columns_of_approval();
`;

/** Runs `alter table` and the like. Attempts are short, because writers queue behind each. */
async function define(knex: Knex, statements: string): Promise<void> {
  await retry({ while: isLockTimeout, backoff: { firstMs: 100, maxMs: 1000 } }, () =>
    knex.transaction(async (tx) => {
      await tx.raw("set local lock_timeout = '50ms'");
      await tx.raw(statements);
    }),
  );
}

const isLockTimeout = (error: unknown) => (error as { code?: string }).code === '55P03';

const BATCH = 1000;

/** Fills the columns in batches: updating `facts` to itself runs the trigger. */
async function fill(knex: Knex, table: string, time: string): Promise<void> {
  let last: { at: string; id: string } | undefined = { at: '-infinity', id: '' };
  while (last) {
    const { rows }: { rows: { at: string; id: string }[] } = await knex.raw(
      `with batch as (
         select id, ${time} from ${table} where facts is not null and (${time}, id::text) > (?::timestamptz, ?)
           order by ${time}, id::text limit ${BATCH} for no key update
       ), filled as (
         update ${table} set facts = ${table}.facts from batch where ${table}.id = batch.id and facts_category is null
       )
       select ${time}::text as at, id::text as id from batch order by ${time} desc, id::text desc limit 1`,
      [last.at, last.id],
    );
    last = rows[0];
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index if exists calls_policy_use, approvals_policy_use;
    drop trigger calls_fact_columns on calls;
    drop trigger approvals_fact_columns on approvals;
    drop function set_fact_columns_of_call(), set_fact_columns_of_approval();
  `);
}

import type { Db } from '../../infra/database.ts';
import { up as addColumns, down as dropColumns } from '../../migrations/0064_policy_use.ts';
import { down } from '../../migrations/0071_policy_use_index.ts';
import { migrate } from '../../migrations/migrate.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { until } from '../support/until.ts';

const NAME = '0071_policy_use_index';
/** The migration fills this many calls in two batches of 1,000 and a last batch. */
const CALLS = 2500;

let bed: ApiBed;
let db: Db;
beforeAll(async () => {
  bed = await openApiBed();
  db = patientDatabase(bed.gateway.config.databaseUrl!, 6);
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Told', actionNames: ['hash'], decision: 'notify_only' });
});
afterAll(async () => {
  await db.destroy();
  await bed.close();
});

test('calls can be recorded and changed while older calls are migrated and indexed', async () => {
  await callHash();
  await undo();
  await addColumns(db);
  await db.raw(COPY_CALL, [CALLS - 1]);
  // Leaves the lock as a killed migration leaves it.
  await db('schema_migrations_lock').update({ is_locked: 1 });

  // The newest call stays locked, so the migration stops before its last batch.
  const holder = await db.transaction();
  await holder.raw('select id from calls order by started_at desc limit 1 for update');
  const migrating = Promise.all([migrate(db), migrate(db)]);
  await until(isBlocked);
  expect(await countFilled()).toBe(2000);
  await callHash();
  await db.raw('update calls set finished_at = now() where id in (select id from calls order by started_at limit 1)');
  expect(await countFilled()).toBe(2001);
  await holder.rollback();

  expect((await migrating).flat()).toEqual([NAME]);
  expect(await countFilled()).toBe(CALLS + 1);
  expect(await validIndexes()).toEqual(['approvals_policy_use', 'calls_policy_use']);
});

test('generated columns of the first version of migration 0064 become plain columns with the same values', async () => {
  await undo();
  await db.raw(FIRST_COLUMNS);
  const before = await countFilled();
  expect(await migrate(db)).toEqual([NAME]);
  await callHash();
  expect(await countFilled()).toBe(before + 1);
  const { rows } = await db.raw("select attname from pg_attribute where attname like 'facts%' and attgenerated <> ''");
  expect(rows).toEqual([]);

  await db('calls').update({ facts: null });
  expect(await countFilled()).toBe(0);
});

const callHash = () =>
  bed.api.must(200).post('/api/v1/actions/execute', {
    ...{ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash' },
    input: { text: 'a' },
  });

async function undo(): Promise<void> {
  await down(db);
  await dropColumns(db);
  await db('schema_migrations')
    .where({ name: `${NAME}.ts` })
    .delete();
}

async function countFilled(): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) from calls where facts_category = 'read' and facts_decision = 'notify_only'
       and facts_policy_id = (facts -> 'decidedBy' ->> 'policyId')::uuid`,
  );
  return rows[0].count;
}

async function isBlocked(): Promise<boolean> {
  const { rows } = await db.raw("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
  return rows.length > 0;
}

async function validIndexes(): Promise<string[]> {
  const { rows } = await db.raw(
    "select indexrelid::regclass::text as name from pg_index where indisvalid and indexrelid::regclass::text like '%policy_use' order by name",
  );
  return rows.map(({ name }: { name: string }) => name);
}

const COPY_CALL = `
  insert into calls (org_id, workspace_id, source, integration_name, action_name, requested_by_type, input_hash, status, facts, started_at)
  select org_id, workspace_id, source, integration_name, action_name, requested_by_type, input_hash, status, facts, started_at - n * interval '1 second'
  from calls, generate_series(1, ?) n`;

const FIRST_COLUMNS = `
  alter table calls
    add column facts_category text generated always as (facts ->> 'category') stored,
    add column facts_decision text generated always as (facts -> 'decidedBy' ->> 'decision') stored,
    add column facts_policy_id uuid generated always as ((facts -> 'decidedBy' ->> 'policyId')::uuid) stored;
  alter table approvals add column facts_category text generated always as (facts ->> 'category') stored`;

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../../support/until.ts';
import { type DatabaseBed, openDatabaseBed } from './database-bed.ts';

let bed: DatabaseBed;

beforeAll(async () => {
  bed = await openDatabaseBed();
  await bed.sql(`create table things (id int primary key); insert into things values (1);
    create function add_thing() returns int language sql as 'insert into things values (2) returning id'`);
});
afterAll(() => bed?.close());

const things = async () => (await bed.sql('select id from things order by 1')).map(({ id }) => id);

describe('an action that reads changes nothing', () => {
  test.each([
    ['insert into things values (3)', '25006'],
    ['select add_thing()', '25006'],
    ['with gone as (delete from things returning id) select id from gone', '25006'],
    ['create table more ()', '25006'],
    ['set transaction read write', '25001'],
    ["select set_config('transaction_read_only', 'off', true), add_thing()", '25001'],
    ['do $$ begin set transaction read write; insert into things values (3); end $$', '25001'],
    ['do $$ begin commit; insert into things values (3); end $$', '2D000'],
    ['select 1; insert into things values (3)', '42601'],
  ])('%s', async (sql, code) => {
    await expect(bed.call('run_query', { sql })).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { code } });
    expect(await things()).toEqual([1]);
  });

  test('a second statement, which could end the read-only transaction, is refused', async () => {
    await bed.call('run_query', { sql: 'commit' });
    await expect(bed.call('explain_query', { sql: 'select 1; delete from things' })).rejects.toMatchObject({ details: { code: '42601' } });
    expect(await things()).toEqual([1]);
  });

  test.each([
    "copy (select ';') to program 'touch /tmp/never'",
    "/* a */ -- b\n COPY things TO '/tmp/never'",
    "load 'auto_explain'",
    'checkpoint',
  ])('an action that reads cannot act on the server by %s', async (sql) => {
    await expect(bed.call('run_query', { sql })).rejects.toMatchObject({ details: { reason: 'read_only' } });
  });

  test('the error for a change says that the action is read-only', async () => {
    await expect(bed.call('run_query', { sql: 'delete from things' })).rejects.toMatchObject({ details: { reason: 'read_only' } });
  });
});

describe('bounds', () => {
  test('no more rows are returned than requested', async () => {
    const sql = 'select n from generate_series(1, 1000000) n';
    const { rows, truncated, rowCount } = await bed.call('run_query', { sql, max_rows: 3 });
    expect({ rows, truncated, rowCount }).toEqual({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], truncated: true, rowCount: null });
    const all = await bed.call('run_query', { sql: 'select n from generate_series(1, 3) n', max_rows: 3 });
    expect(all).toMatchObject({ truncated: false, rowCount: 3 });
  });

  test.each([
    ['many rows', "select repeat('x', 1000) from generate_series(1, 10000)"],
    ['one value', "select repeat('x', 100000000)"],
  ])('an answer above the size limit is refused: %s', async (_, sql) => {
    await expect(bed.call('run_query', { sql, max_rows: 10_000 })).rejects.toMatchObject({
      message: 'PostgreSQL answered more than 5 MB. Ask for fewer rows or columns.',
      details: { reason: 'too_large' },
    });
  });

  test('changes whose answer is too large are rolled back', async () => {
    const sql = "insert into things select n from generate_series(10, 20) n returning id, repeat('x', 1000000)";
    await expect(bed.call('execute_sql', { sql })).rejects.toMatchObject({ details: { reason: 'too_large' } });
    expect(await things()).toEqual([1]);
  });

  test('a statement is canceled at the time limit', async () => {
    await expect(bed.call('run_query', { sql: 'select pg_sleep(60)', statement_timeout: 200 })).rejects.toMatchObject({
      message: expect.stringContaining('canceling statement due to statement timeout'),
      details: { code: '57014', reason: 'timeout' },
    });
  });

  test('copying to stdout does no harm, copying from stdin is refused, and the next call works', async () => {
    await bed.call('run_query', { sql: 'copy (select 1) to stdout' });
    await expect(bed.call('execute_sql', { sql: 'copy things from stdin' })).rejects.toMatchObject({ code: 'ACTION_FAILED' });
    expect(await bed.call('count_rows', { table: 'things' })).toEqual({ count: 1 });
  });
});

test('canceling a call cancels its statement on the server', async () => {
  const isRunning = async () => {
    const found = await bed.sql(
      "select 1 from pg_stat_activity where query like 'select pg_sleep(600)%' and state = 'active' and datname = current_database()",
    );
    return found.length > 0;
  };
  const controller = new AbortController();
  const call = bed.call('execute_sql', { sql: 'select pg_sleep(600), $1::int', params: [1] }, { signal: controller.signal });
  const failed = expect(call).rejects.toMatchObject({ message: expect.stringContaining('was canceled'), details: { reason: 'aborted' } });
  await until(isRunning);
  controller.abort();
  await failed;
  await until(async () => !(await isRunning()));
});

describe('the password of the account', () => {
  test('is not in an error', async () => {
    const secret = 'wr0ng-s3cret';
    const error = await bed.call('run_query', { sql: `select '${secret}'::int` }, { props: { password: secret } }).catch((one) => one);
    expect(error).toMatchObject({ code: 'ACTION_FAILED' });
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain(secret);
  });

  test('is not in an answer', async () => {
    const { rows } = await bed.call('run_query', {
      sql: 'select $1::text as a, $2::jsonb as b',
      params: [bed.props.password, { a: bed.props.password }],
    });
    expect(JSON.stringify(rows)).not.toContain(bed.props.password);
  });
});

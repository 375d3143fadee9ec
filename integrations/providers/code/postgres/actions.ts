import type { ActionCode } from '../../../declarative/to-action.ts';
import { type ActionContext, ActionError, type DynamicProp } from '../../../definition.ts';
import { describeColumns, describeConstraints, describeIndexes, LIST_SCHEMAS, listTables } from './catalog-statements.ts';
import { deleteRows, type Filter, insertRows, selectRows, type TableInput, tableName, updateRows, whereOf } from './sql.ts';
import type { Outcome, Statement } from './statement.ts';
import { type Run, transaction } from './transaction.ts';

type Input = Record<string, unknown>;
type Context<Given> = ActionContext & { input: Given };

function reading<Given>(work: (run: Run, input: Given) => Promise<unknown>): ActionCode {
  return {
    run: (context) => transaction(context, { access: 'READ ONLY', ...timeOutOf(context) }, (run) => work(run, context.input as Given)),
  };
}

function writing<Given>(statementOf: (input: Given) => Statement): ActionCode {
  return {
    run: (context) =>
      transaction(context, { access: 'READ WRITE' }, async (run) => {
        const { rows, rowCount } = await run(statementOf(context.input as Given));
        return { rowCount: rowCount ?? rows.length, rows };
      }),
  };
}

function timeOutOf({ input }: Context<Input>): { statementTimeout?: number } {
  return typeof input.statement_timeout === 'number' ? { statementTimeout: input.statement_timeout } : {};
}

interface SqlInput {
  sql: string;
  params: unknown[];
  max_rows: number;
}

function runSql(run: Run, { sql, params, max_rows: maxRows }: SqlInput): Promise<Outcome> {
  return run({ text: sql, values: params, maxRows });
}

const BEFORE_VERB = /^(?:\s|\(|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*/;
const ACTING_VERB = /^(?:copy\b.*\bto\b(?!\s+stdout\b)|load\b|checkpoint\b)/is;

/** READ ONLY refuses changes of data, but not COPY … TO PROGRAM and other acts on the server. */
function withoutActing(input: SqlInput): SqlInput {
  if (ACTING_VERB.test(input.sql.replace(BEFORE_VERB, '')))
    throw new ActionError('run_query only reads: COPY to a file or program, LOAD and CHECKPOINT act on the server.', {
      reason: 'read_only',
    });
  return input;
}

interface Page {
  limit: number;
  cursor?: string;
}

/** Reads one more row, to know whether another page follows. */
async function page(run: Run, { limit, cursor = '0' }: Page, statementOf: (page: { limit: number; offset: number }) => Statement) {
  if (!/^\d{1,15}$/.test(cursor)) throw new ActionError('cursor is not a nextCursor that this action returned.');
  const offset = Number(cursor);
  const { rows } = await run(statementOf({ limit: limit + 1, offset }));
  return { shown: rows.slice(0, limit), nextCursor: rows.length > limit ? String(offset + limit) : null };
}

async function describeTable(run: Run, input: TableInput): Promise<unknown> {
  const name = tableName(input);
  const { rows: columns } = await run(describeColumns(name));
  if (columns.length === 0) throw new ActionError(`There is no table ${name} that the account can see.`, { reason: 'not_found' });
  const { rows: constraints } = await run(describeConstraints(name));
  const { rows: indexes } = await run(describeIndexes(name));
  return { columns, constraints, indexes };
}

const MAX_CHOICES = 1000;

function choices(refreshers: readonly string[], statementOf: (input: Readonly<Input>) => Statement): DynamicProp {
  return {
    refreshers,
    async options(context) {
      const { rows } = await transaction(context, { access: 'READ ONLY' }, (run) => run(statementOf(context.input)));
      const wanted = (context.search ?? '').toLowerCase();
      return rows.map(({ name }) => ({ label: String(name), value: name })).filter(({ label }) => label.toLowerCase().includes(wanted));
    },
  };
}

const schema = choices([], () => LIST_SCHEMAS);
const table = choices(['schema'], ({ schema: of }) =>
  listTables(typeof of === 'string' ? of : 'public', { limit: MAX_CHOICES, offset: 0 }),
);
const ofTable = { dynamic: { schema, table } };

/** The code of the actions of `postgres.yaml`. */
export const postgresActions: Readonly<Record<string, ActionCode>> = {
  run_query: reading<SqlInput>((run, input) => runSql(run, withoutActing(input))),
  execute_sql: {
    run: (context) =>
      transaction(context, { access: 'READ WRITE', ...timeOutOf(context) }, (run) => runSql(run, context.input as unknown as SqlInput)),
    // A statement may do anything, for example through functions and triggers.
    otherCategoriesOf: () => ['write', 'delete'],
  },
  explain_query: reading<SqlInput>(async (run, { sql, params }) => {
    const { rows } = await run({ text: `EXPLAIN (FORMAT JSON) ${sql}`, values: params });
    return { plan: rows[0]?.['QUERY PLAN'] };
  }),
  find_rows: {
    ...ofTable,
    ...reading<TableInput & Page>(async (run, input) => {
      const { shown, nextCursor } = await page(run, input, (part) => selectRows(input, part));
      return { rows: shown, nextCursor };
    }),
  },
  count_rows: {
    ...ofTable,
    ...reading<TableInput & { filters?: Filter[] }>(async (run, input) => {
      const values: unknown[] = [];
      const where = whereOf(input.filters ?? [], values);
      const { rows } = await run({ text: `SELECT count(*) AS count FROM ${tableName(input)} AS _t${where}`, values });
      return { count: rows[0]?.count };
    }),
  },
  insert_rows: { ...ofTable, ...writing(insertRows) },
  upsert_rows: {
    ...ofTable,
    ...writing<Parameters<typeof insertRows>[0] & { conflict_columns: string[] }>((input) => insertRows(input, input.conflict_columns)),
  },
  update_rows: { ...ofTable, ...writing(updateRows) },
  delete_rows: { ...ofTable, ...writing(deleteRows) },
  list_schemas: reading(async (run) => ({ schemas: (await run(LIST_SCHEMAS)).rows })),
  list_tables: {
    dynamic: { schema },
    ...reading<Page & { schema?: string }>(async (run, input) => {
      const { shown, nextCursor } = await page(run, input, (part) => listTables(input.schema, part));
      return { tables: shown, nextCursor };
    }),
  },
  describe_table: { ...ofTable, ...reading(describeTable) },
};

import type { Statement } from './statement.ts';

const OF_USERS = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'";

/** Schemas that are not PostgreSQL's own. */
export const LIST_SCHEMAS: Statement = {
  text: `SELECT n.nspname AS name, pg_catalog.obj_description(n.oid, 'pg_namespace') AS comment
FROM pg_catalog.pg_namespace n WHERE ${OF_USERS} ORDER BY 1`,
};

const KIND =
  "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'foreign table' END";

/** Tables and views of one schema, or of all in `LIST_SCHEMAS`. */
export function listTables(schema: string | undefined, { limit, offset }: { limit: number; offset: number }): Statement {
  return {
    text: `SELECT n.nspname AS schema, c.relname AS name, ${KIND} AS type, greatest(c.reltuples, 0)::float8 AS "estimatedRows",
pg_catalog.obj_description(c.oid, 'pg_class') AS comment
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${OF_USERS} AND ($1::text IS NULL OR n.nspname = $1)
ORDER BY 1, 2 LIMIT $2 OFFSET $3`,
    values: [schema ?? null, limit, offset],
  };
}

/** Columns of a table. `table`: its quoted name. */
export function describeColumns(table: string): Statement {
  return {
    text: `SELECT a.attname AS name, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END AS default,
a.attidentity <> '' OR a.attgenerated <> '' AS generated, pg_catalog.col_description(a.attrelid, a.attnum) AS comment
FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    values: [table],
  };
}

/** Constraints of a table except NOT NULL. `table`: its quoted name. */
export function describeConstraints(table: string): Statement {
  return {
    text: `SELECT conname AS name,
CASE contype WHEN 'p' THEN 'primary key' WHEN 'u' THEN 'unique' WHEN 'f' THEN 'foreign key' WHEN 'c' THEN 'check' ELSE 'other' END AS type,
pg_catalog.pg_get_constraintdef(oid) AS definition
FROM pg_catalog.pg_constraint WHERE conrelid = to_regclass($1) AND contype <> 'n' ORDER BY contype = 'p' DESC, conname`,
    values: [table],
  };
}

export function describeIndexes(table: string): Statement {
  return {
    text: `SELECT c.relname AS name, i.indisunique AS unique, pg_catalog.pg_get_indexdef(i.indexrelid) AS definition
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = to_regclass($1) ORDER BY 1`,
    values: [table],
  };
}

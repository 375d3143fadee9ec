/** Columns of a table, with the names of fields as aliases (`org_id as orgId`). */
export function columns<Record extends object>(...names: (keyof Record & string)[]): string[] {
  return names.map((name) => `${toSnakeCase(name)} as ${name}`);
}

/** Like `columns`, as a raw select list: `table.org_id as "orgId"`. */
export function columnsSql<Record extends object>(table: string, ...names: (keyof Record & string)[]): string {
  return names.map((name) => `${table}.${toSnakeCase(name)} as "${name}"`).join(', ');
}

/**
 * Turns a record into a row, without its undefined fields. The fields in `json` become JSON text.
 */
export function toRow(record: object, json: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [toSnakeCase(name), json.includes(name) && value !== null ? JSON.stringify(value) : value]),
  );
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

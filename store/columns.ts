/**
 * Columns of a table under their names in the code: `orgId` is `org_id`. For select and returning.
 */
export function columns<Record extends object>(...names: (keyof Record & string)[]): string[] {
  return names.map((name) => `${toSnakeCase(name)} as ${name}`);
}

/** The same for a raw select list: `org_id as "orgId"`. */
export function columnsSql<Record extends object>(table: string, ...names: (keyof Record & string)[]): string {
  return names.map((name) => `${table}.${toSnakeCase(name)} as "${name}"`).join(', ');
}

/**
 * A record as a row. Undefined fields get the column's default; fields in `json` become JSON text.
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

import { isObject } from '../schema/evaluation.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import { hashOf } from './unordered.ts';

/**
 * The hashes of the shared schemas (`$defs`) that a schema needs, by name. Null: left out because
 * of its size, so any value is allowed.
 */
export type UsedDefinitions = Readonly<Record<string, string | null>>;

/** Shared schemas as texts. */
export interface DefinitionTexts {
  byName: ReadonlyMap<string, { hash: string; text: string; bytes: number; references: readonly string[] }>;
  byHash: ReadonlyMap<string, string>;
}

/** Maximum size of an action's schema with all schemas that it references (import contract 3). */
const MAX_BYTES = 256 * 1024;

/** Converts shared schemas to texts, with the names of the schemas that each references. */
export function definitionTexts(definitions: Readonly<Record<string, JsonSchema>>): DefinitionTexts {
  const byName = new Map(
    Object.entries(definitions).map(([name, schema]) => {
      const text = JSON.stringify(schema);
      return [name, { hash: hashOf(schema), text, bytes: Buffer.byteLength(text), references: referencesIn(schema) }];
    }),
  );
  return { byName, byHash: new Map([...byName.values()].map(({ hash, text }) => [hash, text])) };
}

/**
 * Returns a schema with all shared schemas that it needs, nearest first, up to MAX_BYTES. Only type
 * and description of a larger `schema` are kept. `isCut`: whether something was left out.
 */
export function closureOf(schema: JsonSchema, { byName }: DefinitionTexts): { schema: JsonSchema; uses: UsedDefinitions; isCut: boolean } {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > MAX_BYTES) return { schema: withoutDetail(schema), uses: {}, isCut: true };
  const uses = new Map<string, string | null>();
  let left = MAX_BYTES - bytes;
  let isCut = false;
  for (let names = referencesIn(schema); names.length > 0; ) {
    const next: string[] = [];
    for (const name of names) {
      const found = byName.get(name);
      if (uses.has(name) || !found || CONTROL.test(name)) continue;
      const fits = found.bytes <= left;
      uses.set(name, fits ? found.hash : null);
      isCut ||= !fits;
      if (!fits) continue;
      left -= found.bytes;
      next.push(...found.references);
    }
    names = next;
  }
  return { schema, uses: Object.fromEntries(uses), isCut };
}

/** Postgres cannot store NUL in keys of JSON. */
const CONTROL = /[\x00-\x1f]/;

function withoutDetail({ type, description }: JsonSchema): JsonSchema {
  return { ...(type !== undefined && { type }), ...(description !== undefined && { description }), additionalProperties: true };
}

const OF_DEFINITION = /^#\/\$defs\/([^/]+)/;
/** A `$ref` inside these keywords is an ordinary key. */
const DATA = ['const', 'enum', 'default', 'examples'];

function referencesIn(schema: unknown): string[] {
  const names = new Set<string>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...value);
    if (!isObject(value)) continue;
    const name = typeof value.$ref === 'string' ? OF_DEFINITION.exec(value.$ref)?.[1] : undefined;
    if (name !== undefined) names.add(decode(name));
    open.push(...Object.keys(value).flatMap((key) => (DATA.includes(key) ? [] : [value[key]])));
  }
  return [...names].sort();
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

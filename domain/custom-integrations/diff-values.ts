import type { ChangedField } from './custom-integration.ts';

/** Fields of one change, and the size of what a field shows, in characters of JSON. */
const MAX_FIELDS = 100;
const MAX_SHOWN = 2000;

/**
 * Where two JSON values differ, as dotted paths, at most a hundred. A list is one field. A value
 * that is long is shown in part, as text.
 */
export function diffValues(before: unknown, after: unknown): ChangedField[] {
  const fields: ChangedField[] = [];
  const open: [path: string, before: unknown, after: unknown][] = [['', before, after]];
  while (open.length > 0 && fields.length < MAX_FIELDS) {
    const [path, a, b] = open.shift()!;
    if (isRecord(a) && isRecord(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const inner = [own(a, key), own(b, key)] as const;
        if (!isSame(...inner)) open.push([path === '' ? key : `${path}.${key}`, ...inner]);
      }
    } else if (!isSame(a, b)) fields.push({ path: path.slice(0, MAX_SHOWN), before: shown(a), after: shown(b) });
  }
  return fields;
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_SHOWN ? (value ?? null) : `${text.slice(0, MAX_SHOWN)}…`;
}

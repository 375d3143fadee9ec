import { z } from 'zod';
import { HEADER_NAME } from '../../../v1/integrations/import-schema.ts';
import type { Field } from '../form.ts';

/** Where the way to connect an account comes from. */
export const ACCOUNTS = ['document', 'none', 'written'] as const;

/** Kinds of what is left out, by the word that begins a line. */
const EXCLUDED = { operation: 'operations', tag: 'tags', path: 'paths', method: 'methods', tool: 'tools' } as const;
type ExcludedKind = keyof typeof EXCLUDED;

/** Lines with their numbers, without empty ones. */
function linesOf(text: string): { line: string; number: number }[] {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.filter(({ line }) => line !== '');
}

/** "Leave out": lines such as `tag internal` as `select.exclude` of the API. */
export const exclude = z.string().transform((text, context) => {
  const lists: Partial<Record<(typeof EXCLUDED)[ExcludedKind], string[]>> = {};
  for (const { line, number } of linesOf(text)) {
    const [, kind = '', item = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    if (!Object.hasOwn(EXCLUDED, kind) || item === '') {
      const kinds = new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(EXCLUDED));
      context.addIssue({ code: 'custom', message: `needs ${kinds} and what it is in line ${number}` });
      return z.NEVER;
    }
    const list = EXCLUDED[kind as ExcludedKind];
    lists[list] = [...(lists[list] ?? []), item];
  }
  return lists;
});

/** "Headers": lines such as `X-Api-Key: …`. No message repeats a value, which may be secret. */
export const headers = z.string().transform((text, context) => {
  const found = new Map<string, string>();
  const names = new Set<string>();
  for (const { line, number } of linesOf(text)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    const problem = problemOf(name, names);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', message: `${problem} in line ${number}` });
      return z.NEVER;
    }
    names.add(name.toLowerCase());
    found.set(name, line.slice(colon + 1).trim());
  }
  return Object.fromEntries(found);
});

function problemOf(name: string, names: ReadonlySet<string>): string | undefined {
  if (name === '') return 'need a name, a colon and a value';
  if (!HEADER_NAME.test(name)) return 'have a name that is none,';
  return names.has(name.toLowerCase()) ? 'have a name twice,' : undefined;
}

/** "How accounts are connected": `auth` of the API, in JSON. */
export const authMethods = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'is not valid JSON' });
    return z.NEVER;
  }
});

/** What few imports need: the fields below "More". */
export const MORE_FIELDS: readonly Field[] = [
  {
    ...{ name: 'select.operations', label: 'Only these operations', kind: 'textarea', isOptional: true, isMore: true },
    hint: 'One a line: the id of an operation, or its method and path, such as “GET /pets”. Empty: all.',
  },
  {
    ...{ name: 'select.exclude', label: 'Leave out', kind: 'textarea', isOptional: true, isMore: true },
    hint: 'One a line: “operation GET /pets”, “tag internal”, “path /admin”, “method DELETE” or “tool purge”.',
  },
  {
    ...{ name: 'headers', label: 'Headers', kind: 'textarea', isOptional: true, isMore: true, isSecret: true },
    hint: 'One a line, such as “X-Api-Key: …”. Sent to the origin of the address only. Stored encrypted, never shown: type them again after a preview.',
  },
  {
    ...{ name: 'accounts', label: 'Accounts', kind: 'radios', value: 'document', isMore: true },
    options: [
      { value: 'document', label: 'As the document says' },
      { value: 'none', label: 'None is needed' },
      { value: 'written', label: 'As written below' },
    ],
  },
  {
    ...{ name: 'auth', label: 'How accounts are connected (JSON)', kind: 'textarea', isOptional: true, isMore: true },
    hint: 'A list, such as [{"key": "token", "type": "SECRET_TEXT", "displayName": "API token", "authenticate": "bearer"}].',
  },
];

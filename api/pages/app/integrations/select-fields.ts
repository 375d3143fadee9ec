import { z } from 'zod';
import type { Field } from '../form.ts';

/** The lists of `exclude`, by the first word of a line of "Leave out". */
const EXCLUDED = { operation: 'operations', tag: 'tags', path: 'paths', method: 'methods', tool: 'tools' } as const;
type ExcludedKind = keyof typeof EXCLUDED;

/** Trimmed lines of a text with their numbers, from 1, without empty lines. */
export function linesOf(text: string): { line: string; number: number }[] {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.filter(({ line }) => line !== '');
}

const commaSeparated = z
  .string()
  .transform((text) => namesIn(text.split(/[,\n]/)))
  .optional();
const lines = z
  .string()
  .transform((text) => namesIn(text.split('\n')))
  .optional();

function namesIn(parts: readonly string[]): string[] {
  return parts.map((part) => part.trim()).filter(Boolean);
}

const exclude = z.string().transform((text, context) => {
  const lists: Partial<Record<(typeof EXCLUDED)[ExcludedKind], string[]>> = {};
  for (const { line, number } of linesOf(text)) {
    const [, kind = '', item = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    if (!Object.hasOwn(EXCLUDED, kind) || item === '') {
      const kinds = new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(EXCLUDED));
      context.addIssue({ code: 'custom', message: `needs ${kinds} and a value in line ${number}` });
      return z.NEVER;
    }
    const list = EXCLUDED[kind as ExcludedKind];
    lists[list] = [...(lists[list] ?? []), item];
  }
  return lists;
});

/** Schemas of the form fields that select the imported actions. */
export const selectShape = {
  ...{ tags: commaSeparated, paths: commaSeparated },
  ...{ 'select.operations': lines, 'select.exclude': exclude.optional() },
};

/** The lists in the API's `select` that have a field in the form. */
export interface Select {
  operations?: string[];
  tags?: string[];
  paths?: string[];
  exclude?: Partial<Record<(typeof EXCLUDED)[ExcludedKind], string[]>>;
}

/** Converts parsed form fields to the API's `select`. */
export function selectOf(fields: z.output<z.ZodObject<typeof selectShape>>): Select {
  const { tags, paths, 'select.operations': operations, 'select.exclude': excluded } = fields;
  return {
    ...(operations && { operations }),
    ...(tags && { tags }),
    ...(paths && { paths }),
    ...(excluded && { exclude: excluded }),
  };
}

/** The form fields for `selectShape`, filled in with the current selection. */
export function selectFields({ operations = [], tags = [], paths = [], exclude: excluded = {} }: Select = {}) {
  const kinds = Object.entries(EXCLUDED) as [ExcludedKind, (typeof EXCLUDED)[ExcludedKind]][];
  const left = kinds.flatMap(([kind, list]) => (excluded[list] ?? []).map((item) => `${kind} ${item}`));
  const list = { kind: 'text', isOptional: true, hint: 'Separated by commas. Empty: all.' } as const;
  const area = { kind: 'textarea', isOptional: true, isMore: true } as const;
  return {
    lists: [
      { name: 'tags', label: 'Only these tags', ...list, value: tags.join(', ') },
      { name: 'paths', label: 'Only paths that begin with', ...list, value: paths.join(', ') },
    ] satisfies Field[],
    more: [
      {
        ...{ name: 'select.operations', label: 'Only these operations', ...area, value: operations.join('\n') },
        hint: 'One per line: the id of an operation, or its method and path, such as "GET /pets". Empty: all.',
      },
      {
        ...{ name: 'select.exclude', label: 'Leave out', ...area, value: left.join('\n') },
        hint: 'One per line: "operation GET /pets", "tag internal", "path /admin", "method DELETE" or "tool purge".',
      },
    ] satisfies Field[],
  };
}

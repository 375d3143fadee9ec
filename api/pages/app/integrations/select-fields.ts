import { z } from 'zod';
import type { Field } from '../form.ts';

/** Kinds of exclusions, by the word that begins a line. */
const EXCLUDED = { operation: 'operations', tag: 'tags', path: 'paths', method: 'methods', tool: 'tools' } as const;
type ExcludedKind = keyof typeof EXCLUDED;

/** Lines with their numbers, without empty ones. */
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

/** "Leave out": lines such as `tag internal` as `select.exclude` of the API. */
const exclude = z.string().transform((text, context) => {
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

/** Which actions are imported: the fields of a form, to be read by `selectOf`. */
export const selectShape = {
  ...{ tags: commaSeparated, paths: commaSeparated },
  ...{ 'select.operations': lines, 'select.exclude': exclude.optional() },
};

/** As `select` of the API, without the lists that no field shows. */
export interface Select {
  operations?: string[];
  tags?: string[];
  paths?: string[];
  exclude?: Partial<Record<(typeof EXCLUDED)[ExcludedKind], string[]>>;
}

/** The fields of a form as `select` of the API. */
export function selectOf(fields: z.output<z.ZodObject<typeof selectShape>>): Select {
  const { tags, paths, 'select.operations': operations, 'select.exclude': excluded } = fields;
  return {
    ...(operations && { operations }),
    ...(tags && { tags }),
    ...(paths && { paths }),
    ...(excluded && { exclude: excluded }),
  };
}

/** The fields of `selectShape` with what is selected. */
export function selectFields({ operations = [], tags = [], paths = [], exclude: excluded = {} }: Select = {}) {
  const kinds = Object.entries(EXCLUDED) as [ExcludedKind, (typeof EXCLUDED)[ExcludedKind]][];
  const left = kinds.flatMap(([kind, list]) => (excluded[list] ?? []).map((item) => `${kind} ${item}`));
  const list = { kind: 'text', isOptional: true, hint: 'With commas between them. Empty: all.' } as const;
  const area = { kind: 'textarea', isOptional: true, isMore: true } as const;
  return {
    lists: [
      { name: 'tags', label: 'Only these tags', ...list, value: tags.join(', ') },
      { name: 'paths', label: 'Only paths that begin with', ...list, value: paths.join(', ') },
    ] satisfies Field[],
    more: [
      {
        ...{ name: 'select.operations', label: 'Only these operations', ...area, value: operations.join('\n') },
        hint: 'One a line: the id of an operation, or its method and path, such as "GET /pets". Empty: all.',
      },
      {
        ...{ name: 'select.exclude', label: 'Leave out', ...area, value: left.join('\n') },
        hint: 'One a line: "operation GET /pets", "tag internal", "path /admin", "method DELETE" or "tool purge".',
      },
    ] satisfies Field[],
  };
}

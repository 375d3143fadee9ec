import { z } from 'zod';
import { HEADER_NAME } from '../../../v1/integrations/import-schema.ts';
import type { Field } from '../form.ts';
import { linesOf } from './select-fields.ts';

/** Sources of the auth methods: the document, none, or the form. */
export const ACCOUNTS = ['document', 'none', 'written'] as const;

/** Parses the field "Headers". Messages do not repeat values, because values may be secret. */
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
  if (!HEADER_NAME.test(name)) return 'have an invalid name';
  return names.has(name.toLowerCase()) ? 'have the same name twice,' : undefined;
}

/** Parses the field "How accounts are connected": `auth` of the API as JSON. */
export const authMethods = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'is not valid JSON' });
    return z.NEVER;
  }
});

/** The field for secret HTTP headers that are sent to the source only. */
export const HEADERS_FIELD: Field = {
  ...{ name: 'headers', label: 'Headers', kind: 'textarea', isOptional: true, isMore: true, isSecret: true },
  hint: 'One header per line, such as "X-Api-Key: …". Sent only to the origin of the address. Stored encrypted, never shown: type the headers again after a preview.',
};

/** The fields with which a form can replace the auth methods of the document. */
export const ACCOUNT_FIELDS: readonly Field[] = [
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

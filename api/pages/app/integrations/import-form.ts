import { z } from 'zod';
import type { ON_CHANGE } from '../../../../domain/custom-integrations/custom-integration.ts';
import { importBody } from '../../../v1/integrations/import-schema.ts';
import type { Field, FormSpec } from '../form.ts';
import { ACCOUNT_FIELDS, ACCOUNTS, authMethods, HEADERS_FIELD, headers } from './import-more.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { selectFields, selectOf, selectShape } from './select-fields.ts';

/**
 * Maximum size, in bytes, of a form with a pasted document. A larger document needs an address or
 * the API.
 */
export const DOCUMENT_FORM_MAX_BYTES = 3 * 1024 * 1024;

/** Shown names of the kinds of source. */
export const KIND_NAMES = { openapi: 'OpenAPI document', mcp: 'MCP server', declarative: 'Declarative document' } as const;

const EVERY = [
  { value: '0', label: 'Only when asked' },
  { value: '3600', label: 'Every hour' },
  { value: '86400', label: 'Every day' },
  { value: '604800', label: 'Every week' },
];

/** The field "Read it again". `value` is in seconds. */
export function refreshField(value: string): Field {
  const options = EVERY.some((option) => option.value === value) ? EVERY : [...EVERY, { value, label: `Every ${value} seconds` }];
  const hint = 'Needs an address. A pasted document is read once.';
  return { name: 'refreshEverySeconds', label: 'Read it again', kind: 'select', options, value, hint };
}

/** The field that says what calls of a changed action do until the change is decided. */
export function onChangeField(value: (typeof ON_CHANGE)[number]): Field {
  return {
    ...{ name: 'onChange', label: 'Until a change is accepted', kind: 'radios', value },
    options: [
      { value: 'hold', label: 'Work as before', hint: 'Calls use the version that was imported last.' },
      { value: 'block', label: 'Refuse the action', hint: 'Calls of a changed action fail.' },
    ],
  };
}

/** The field of a secret that is sent to the source only. */
export const TOKEN_FIELD: Field = {
  ...{ name: 'token', label: 'Token to read it with', kind: 'password', isOptional: true, autocomplete: 'off' },
  hint: 'Sent as a bearer token to the origin of the address only. Stored encrypted, never shown.',
};

/** The field for a pasted document. */
export const DOCUMENT_FIELD: Field = {
  ...{ name: 'document', label: 'Document', kind: 'textarea', isOptional: true },
  hint: 'JSON or YAML, up to about 2 MB. For a larger document, give its address or use the API.',
};

/** Converts the fields of "Import an integration" to the request body of the API. */
export const importForm = z
  .strictObject({
    kind: z.string(),
    name: z.string(),
    url: z.string().optional(),
    document: z.string().optional(),
    displayName: z.string().optional(),
    ...selectShape,
    baseUrl: z.string().optional(),
    token: z.string().optional(),
    headers: headers.optional(),
    ...{ accounts: z.enum(ACCOUNTS).default('document'), auth: authMethods.optional() },
    refreshEverySeconds: z.coerce.number(),
    onChange: z.string(),
  })
  .superRefine(({ kind, url, document, accounts, auth, headers: sent }, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (accounts === 'written' && auth === undefined) problem('auth', 'is missing');
    if (accounts !== 'written' && auth !== undefined) problem('accounts', 'must be "As written below" if you fill in that field');
    if (sent !== undefined && url === undefined) problem('headers', 'are for an address only');
    if (kind === 'mcp' && document !== undefined) problem('document', 'is not for an MCP server');
    else if (kind === 'mcp' && url === undefined) problem('url', 'is missing');
    else if (url === undefined && document === undefined) problem('kind', 'needs an address or a document');
    else if (url !== undefined && document !== undefined) problem('document', 'is not needed with an address: leave one of the two empty');
  })
  .transform(({ tags, paths, 'select.operations': operations, 'select.exclude': excluded, token, accounts, auth, ...fields }) => {
    const select = selectOf({ tags, paths, 'select.operations': operations, 'select.exclude': excluded });
    const fetchAuth = token !== undefined && { fetchAuth: { type: 'bearer', token } };
    const given = accounts === 'document' ? {} : { auth: accounts === 'none' ? null : auth };
    return { ...fields, ...(Object.keys(select).length > 0 && { select }), ...fetchAuth, ...given } as z.input<typeof importBody>;
  })
  .pipe(importBody);

/** The form "Import an integration". */
export function importSpec(): FormSpec {
  const select = selectFields();
  return {
    ...{ title: 'Import an integration', template: 'integrations/import' },
    fields: [
      {
        ...{ name: 'kind', label: 'Kind', kind: 'radios', value: 'openapi' },
        options: [
          { value: 'openapi', label: KIND_NAMES.openapi, hint: 'OpenAPI 3 or Swagger 2: each operation becomes an action.' },
          { value: 'mcp', label: KIND_NAMES.mcp, hint: 'Its tools become actions.' },
          { value: 'declarative', label: KIND_NAMES.declarative, hint: 'The format of this service, in YAML.' },
        ],
      },
      {
        ...{ name: 'name', label: 'Name', kind: 'text', maxLength: 63 },
        hint: 'Only a-z, 0-9 and -, such as "billing". You can’t change the name later.',
      },
      {
        name: 'url',
        label: 'Address',
        kind: 'text',
        isOptional: true,
        maxLength: 2000,
        hint: 'The URL of the document or of the MCP server.',
      },
      DOCUMENT_FIELD,
      {
        name: 'displayName',
        label: 'Display name',
        kind: 'text',
        isOptional: true,
        maxLength: 100,
        hint: 'Default: the title of the document.',
      },
      ...select.lists,
      {
        ...{ name: 'baseUrl', label: 'Base URL', kind: 'text', isOptional: true, maxLength: 2000 },
        hint: 'Where calls go. Default: the server that the document names.',
      },
      TOKEN_FIELD,
      refreshField('0'),
      onChangeField('hold'),
      ...select.more,
      HEADERS_FIELD,
      ...ACCOUNT_FIELDS,
    ],
    button: 'Import integration',
    otherButton: { label: 'Preview', action: `${INTEGRATIONS}/import/preview` },
    cancel: INTEGRATIONS,
    blames: {
      DUPLICATE: { field: 'name', problem: 'is already the name of an integration' },
      DOCUMENT_TOO_LARGE: { field: 'url', problem: 'leads to a document of more than 32 MiB' },
    },
  };
}

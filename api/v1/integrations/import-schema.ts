import { z } from 'zod';
import { ON_CHANGE } from '../../../domain/custom-integrations/custom-integration.ts';
import { isReservedHeader } from '../../../domain/header-problem.ts';
import { DECISION_REASON_MAX_LENGTH, DESCRIPTION_MAX_LENGTH } from '../../../domain/limits.ts';
import { ACTION_CATEGORIES } from '../../../domain/policies/policy.ts';
import { authProblems } from '../../../integrations/declarative/check-document.ts';
import { INTEGRATION_CATEGORIES } from '../../../integrations/definition.ts';
import { jsonObject, queryFlag, text } from '../../schemas.ts';

const RESERVED = ['import', 'oauth-status'];

const integrationName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,62}$/, 'must be 2 to 63 of a-z, 0-9 and -, starting with a letter')
  .refine((value) => !RESERVED.includes(value), 'is reserved');

const shown = {
  displayName: text.min(1).max(100),
  description: text.min(1).max(DESCRIPTION_MAX_LENGTH),
  categories: z.array(z.enum(INTEGRATION_CATEGORIES)).min(1).max(5),
  logoUrl: text.max(2000).regex(/^https:\/\/\S+$/, 'must be an https address'),
};

const items = z.array(text.min(1).max(500)).max(2000);
const lists = {
  operations: items.optional().describe('operation ids, or METHOD /path'),
  tags: items.optional(),
  paths: items.optional().describe('prefixes of paths'),
  methods: items.optional(),
  tools: items.optional(),
};
const select = z
  .strictObject({ ...lists, exclude: z.strictObject(lists).optional() })
  .describe('which actions are imported: an action must match an item of each given list, and none of `exclude`');

/** The name of a request header. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

const headerName = z
  .string()
  .regex(HEADER_NAME, 'is not the name of a header')
  .refine((name) => !isReservedHeader(name), 'cannot be set: it is made from the request');

const headerValue = z
  .string()
  .max(8000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'holds a character that no header may have');
const fetched = {
  headers: z
    .record(headerName, headerValue)
    .refine((value) => Object.keys(value).length <= 50, 'has more than 50 headers')
    .optional()
    .describe('sent only to the origin of `url`; stored encrypted and never returned'),
  fetchAuth: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('bearer'), token: z.string().min(1).max(8000) }),
      z.strictObject({ type: z.literal('basic'), username: z.string().max(1000), password: z.string().max(1000) }),
    ])
    .optional()
    .describe('stored encrypted and never returned'),
};

const documentValue = z.union([z.string(), jsonObject]);
/** Accepts bytes too, because a large field arrives as bytes. */
const document = z
  .custom<string | Record<string, unknown> | Uint8Array>(
    (value) => value instanceof Uint8Array || documentValue.safeParse(value).success,
    'must be JSON or YAML text, or an object',
  )
  .meta({
    anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: {} }],
    description: 'JSON or YAML text, or the object itself; at most 32 MiB',
  });
const refreshEverySeconds = z
  .int()
  .refine((value) => value === 0 || (value >= 60 && value <= 604_800), 'must be 0, or 60 to 604800')
  .describe('0: no scheduled refreshes');
const onChange = z
  .enum(ON_CHANGE)
  .describe(
    'what happens to calls of a changed action until the change is decided. hold: they work as before; block: they get 403 ACTION_CHANGED',
  );

const auth = z
  .array(jsonObject)
  .max(10)
  .nullable()
  .superRefine((value, context) => {
    for (const { path, message } of authProblems(value)) context.addIssue({ code: 'custom', path: [...path], message });
  })
  .describe('replaces the definition in the document; null: no account is needed');

export const importBody = z
  .strictObject({
    kind: z.enum(['openapi', 'mcp', 'declarative']),
    name: integrationName,
    url: text.max(2000).optional(),
    document: document.optional(),
    displayName: shown.displayName.optional(),
    description: shown.description.optional(),
    categories: shown.categories.optional(),
    logoUrl: shown.logoUrl.optional(),
    select: select.optional(),
    ...fetched,
    auth: auth.optional(),
    baseUrl: text.max(2000).optional(),
    serverVariables: z.record(z.string().max(200), text.max(500)).optional(),
    refreshEverySeconds: refreshEverySeconds.optional(),
    onChange: onChange.optional(),
    trustAnnotations: z
      .boolean()
      .optional()
      .describe('for kind mcp; false: the annotations of a tool cannot lower its category below write'),
    preview: z.boolean().default(false).describe('true: nothing is stored'),
  })
  .refine((body) => (body.url === undefined) !== (body.document === undefined), {
    path: ['url'],
    message: 'exactly one of url and document is needed',
  })
  .refine(({ kind, url }) => kind !== 'mcp' || url !== undefined, { path: ['url'], message: 'is required for the kind mcp' });

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

export const refreshBody = z
  .strictObject({
    document: document.optional(),
    select: select.optional(),
    ...fetched,
    preview: z.boolean().default(false).describe('true: nothing is stored'),
    accept: z.boolean().default(false).describe('true: the changes take effect immediately; needs approvals.decide'),
    digest: digest
      .optional()
      .describe('with `accept`: `digest` of the preview that was read; 409 `CHANGE_CONFLICT` if the changes differ from the preview'),
  })
  .refine((body) => body.digest === undefined || body.accept, { path: ['digest'], message: 'is allowed only with accept: true' })
  .optional();

export const ownChanges = z.strictObject({
  displayName: shown.displayName.nullish(),
  description: shown.description.nullish(),
  categories: shown.categories.nullish(),
  logoUrl: shown.logoUrl.nullish(),
  refreshEverySeconds: refreshEverySeconds.nullish(),
  onChange: onChange.nullish(),
  actions: z
    .record(
      z.string(),
      z
        .strictObject({
          enabled: z.boolean().nullish(),
          category: z.enum(ACTION_CATEGORIES).nullish(),
          displayName: shown.displayName.nullish(),
          description: shown.description.nullish(),
        })
        .nullable(),
    )
    .optional()
    .describe('by name of the action; null restores the imported value'),
});

export const deleteQuery = z.strictObject({ force: queryFlag.describe('true: also removes everything that uses the integration') });

export const changeDecision = z
  .strictObject({
    reason: text.max(DECISION_REASON_MAX_LENGTH).optional(),
    digest: digest.optional().describe('`digest` of the change when it was read; 409 `CHANGE_CONFLICT` if the change is different now'),
  })
  .optional();

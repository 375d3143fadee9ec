import { z } from 'zod';
import { CONNECTION_TYPES } from '../../../domain/connection.ts';
import { CHANGE_KINDS, CHANGE_STATUSES, DETECTED_BY, ON_CHANGE } from '../../../domain/custom-integrations/custom-integration.ts';
import { ACTION_CATEGORIES } from '../../../domain/policies/policy.ts';
import { INTEGRATION_CATEGORIES } from '../../../integrations/definition.ts';
import { PROP_TYPES } from '../../../integrations/describe-props.ts';
import { alias, endUserId, jsonObject, name, page, queryFlag, text, timestamp, uuid } from '../../schemas.ts';

export const catalogQuery = z.strictObject({
  summary: queryFlag.describe('true: counts of actions and triggers instead of the lists'),
  name: name.optional().describe('only this integration'),
  custom: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: only integrations of the organization; false: only integrations of the service'),
});

const propOption = z.object({ label: z.string(), value: z.unknown() });

const prop = z
  .object({
    type: z.enum(PROP_TYPES),
    displayName: z.string(),
    description: z.string(),
    required: z.boolean(),
    defaultValue: z.unknown().optional(),
    refreshers: z.array(z.string()).describe('inputs whose change invalidates the choices or fields of this input'),
    options: z.object({ options: z.array(propOption) }).optional(),
    secret: z.literal(true).optional().describe('forms must hide the typed value'),
  })
  .meta({ id: 'Prop', description: 'An input of a form' });

const actionEntry = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    category: z.enum(ACTION_CATEGORIES),
    props: z.record(z.string(), prop).optional(),
    inputSchema: jsonObject.optional().describe('JSON Schema; absent if there are over 200 actions: request some with `action`'),
    outputSchema: jsonObject.optional().describe('JSON Schema'),
    source: z
      .union([z.object({ operation: z.string(), operationId: z.string().optional() }), z.object({ tool: z.string() })])
      .optional()
      .describe('of a custom integration: the operation or tool of the action'),
    categoryFrom: z.string().optional().describe('of a custom integration: the source of the category'),
    enabled: z.boolean().optional().describe('of a custom integration: false if it was disabled'),
  })
  .meta({ id: 'Action' });

const own = {
  custom: z.boolean().describe('true for an integration that the organization imported'),
  id: z.string().optional(),
  version: z.int().optional().describe('1 after the import; each applied change adds 1'),
  status: z.enum(['ACTIVE', 'ERROR']).optional().describe('ERROR: the last refresh failed'),
  lastError: z.object({ code: z.string(), message: z.string() }).nullable().optional(),
  pendingChanges: z.int().optional(),
  hidesBuiltIn: z
    .literal(true)
    .optional()
    .describe(
      'the service later added a built-in integration of this name; the built-in integration is hidden until this integration is deleted',
    ),
  source: z
    .object({
      kind: z.enum(['openapi', 'mcp', 'declarative']),
      format: z.string(),
      url: z.string().nullable(),
      documentVersion: z.string().nullable(),
      documentHash: z.string(),
      importedAt: timestamp,
      checkedAt: timestamp,
    })
    .optional(),
  baseUrl: z.string().optional(),
  refreshEverySeconds: z.int().optional(),
  onChange: z.enum(ON_CHANGE).optional(),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
};

const identity = {
  ...own,
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  logoUrl: z.string().nullable().describe('an https or data address of a picture'),
  verification: z
    .object({
      testedAgainst: z
        .enum(['fake', 'openapi', 'live'])
        .describe("fake: written from documentation; openapi: compared with the API's own document; live: run against the service"),
      lastVerified: z.iso.date(),
      sources: z
        .array(z.string())
        .describe('addresses, or packages and paths')
        .meta({ examples: [['https://docs.github.com/en/rest', 'npm @octokit/openapi 23.0.2, generated/api.github.com.json']] }),
    })
    .optional()
    .describe('how the actions were verified; absent for custom integrations'),
  categories: z.array(z.enum(INTEGRATION_CATEGORIES)),
  auth: z
    .object({ type: z.array(z.enum(CONNECTION_TYPES)) })
    .nullable()
    .describe('null if no account is needed'),
  authOptions: z.array(
    z.object({
      key: z.string(),
      type: z.enum(CONNECTION_TYPES),
      displayName: z.string(),
      description: z.string(),
      props: z
        .record(z.string(), prop)
        .optional()
        .describe('the fields of `props`, such as an API key or a host; absent if the method has none'),
    }),
  ),
};

export const integration = z
  .object({ ...identity, actions: z.record(z.string(), actionEntry), triggers: z.record(z.string(), jsonObject) })
  .meta({ id: 'Integration' });

const integrationSummary = z.object({ ...identity, actionCount: z.int(), triggerCount: z.int() }).meta({ id: 'IntegrationSummary' });

const entry = z.union([integration, integrationSummary]);

export const catalogAnswer = z.union([
  z.object({
    integrations: z.array(entry),
    total: z.int(),
    registered: z
      .array(z.string())
      .describe("names of integrations with a connection or a tool in the key's organization; empty without a key"),
  }),
  z.object({ integration: entry }),
]);

export const oauthStatus = z.object({ configured: z.array(z.string()).describe('integrations with an OAuth app of the organization') });

export const propertyRequest = z.strictObject({
  workspaceId: uuid,
  actionName: name,
  propertyName: name,
  input: jsonObject.default({}).describe('input values so far'),
  searchValue: text.max(500).optional().describe('filter text for the choices'),
  connectionExternalId: name.optional(),
  workspaceIntegrationId: uuid.optional(),
  integrationAlias: alias.optional(),
  endUserId: endUserId.optional(),
});

const disabled = z.boolean().describe('true if another required input or the account is missing');

export const propertyOptionsAnswer = z.object({ options: z.array(propOption), disabled });

export const resolvedPropertyAnswer = z.object({
  schema: jsonObject.describe("JSON Schema of the input's value"),
  props: z.record(z.string(), prop).describe('the fields of an object input'),
  disabled,
});

export const report = z
  .object({
    operations: z.int(),
    imported: z.int(),
    typed: z.int().describe('imported actions for which the types of all inputs and outputs are known'),
    typedShare: z.number(),
    leftOut: z.array(z.object({ operation: z.string(), reason: z.string(), message: z.string() })).describe('at most 500'),
    leftOutCount: z.int(),
    notes: z.array(z.object({ operation: z.string(), code: z.string(), message: z.string() })).describe('at most 500'),
    noteCount: z.int(),
    categories: z.record(z.string(), z.int()),
    durationMs: z.int(),
  })
  .meta({ id: 'ImportReport' });

const field = z
  .object({
    path: z
      .string()
      .describe('a dotted path; a key with characters other than letters, digits and `_$@:/-` is written in brackets, in ASCII'),
    before: z.unknown().describe('null if there was no value'),
    after: z.unknown().describe('null if there is no value any more'),
    cut: z.literal(true).optional().describe('set if the path or a value is shown only in part'),
    absent: z.enum(['before', 'after']).optional().describe('the side that has no value, if the value of the other side is null'),
  })
  .meta({ id: 'ChangedField' });

const digest = z.string().nullable();

export const change = z
  .object({
    id: z.string().nullable().describe('null in a preview'),
    kind: z.enum(CHANGE_KINDS),
    actionName: z.string().nullable(),
    status: z.enum(CHANGE_STATUSES),
    fields: z.array(field).describe('the first fields, at most about 100; long values are cut'),
    fieldCount: z.int().describe('the number of all fields'),
    complete: z.boolean().describe('whether `fields` has all fields with their whole values'),
    digest: digest.describe('for a complete pending change: identifies its content; can be sent with the decision'),
    detectedAt: timestamp,
    detectedBy: z.enum(DETECTED_BY),
    decidedAt: timestamp.nullable(),
    decidedById: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'IntegrationChange' });

export const wholeChange = z.object({
  change,
  fields: z.array(field).describe('this page of all fields, with whole values; for a decided change, the same fields as in `change`'),
  total: z.int(),
  digest: digest.describe('for a pending change: identifies all its fields; can be sent with the decision'),
});

export const previewDigest = digest
  .optional()
  .describe('for a preview: identifies all its changes; can be sent with `accept`. Null if some changes are not complete');

export const oneQuery = z.strictObject({
  action: z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text.min(1)).max(50))
    .optional()
    .describe('only these actions, with their schemas; may be repeated'),
});

export const changesQuery = page.extend({ status: z.enum(CHANGE_STATUSES).optional() });

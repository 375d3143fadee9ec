import { z } from 'zod';
import { CONNECTION_TYPES } from '../../../domain/connection.ts';
import { ACTION_CATEGORIES } from '../../../domain/policy.ts';
import { INTEGRATION_CATEGORIES } from '../../../integrations/definition.ts';
import { PROP_TYPES } from '../../../integrations/describe-props.ts';
import { alias, endUserId, jsonObject, name, text, uuid } from '../../schemas.ts';

export const catalogQuery = z.object({
  summary: z
    .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })
    .default(false)
    .describe('true: numbers of actions and triggers instead of the actions and triggers'),
  name: name.optional().describe('this integration alone'),
});

const propOption = z.object({ label: z.string(), value: z.unknown() });

const prop = z
  .object({
    type: z.enum(PROP_TYPES),
    displayName: z.string(),
    description: z.string(),
    required: z.boolean(),
    defaultValue: z.unknown().optional(),
    refreshers: z.array(z.string()).describe('inputs whose change makes the choices or fields of this one stale'),
    options: z.object({ options: z.array(propOption) }).optional(),
    secret: z.literal(true).optional().describe('a form must not show what is typed'),
  })
  .meta({ id: 'Prop', description: 'An input, as a form asks for it' });

const actionEntry = z
  .object({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    category: z.enum(ACTION_CATEGORIES),
    props: z.record(z.string(), prop),
    inputSchema: jsonObject.describe('JSON Schema'),
    outputSchema: jsonObject.optional().describe('JSON Schema'),
  })
  .meta({ id: 'Action' });

const identity = {
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  logoUrl: z.string().nullable(),
  categories: z.array(z.enum(INTEGRATION_CATEGORIES)),
  auth: z
    .object({ type: z.array(z.enum(CONNECTION_TYPES)) })
    .nullable()
    .describe('null where no account is needed'),
  authOptions: z.array(
    z.object({
      key: z.string(),
      type: z.enum(CONNECTION_TYPES),
      displayName: z.string(),
      description: z.string(),
      props: z.record(z.string(), prop).optional().describe('of CUSTOM_AUTH: the fields that it takes as `props`'),
    }),
  ),
};

const integration = z
  .object({ ...identity, actions: z.record(z.string(), actionEntry), triggers: z.record(z.string(), jsonObject) })
  .meta({ id: 'Integration' });

const integrationSummary = z.object({ ...identity, actionCount: z.int(), triggerCount: z.int() }).meta({ id: 'IntegrationSummary' });

const entry = z.union([integration, integrationSummary]);

export const catalogAnswer = z.union([
  z.object({
    integrations: z.array(entry),
    total: z.int(),
    registered: z.array(z.string()).describe("names that the key's organization has a connection or a tool for; empty without a key"),
  }),
  z.object({ integration: entry }),
]);

export const oauthStatus = z.object({ configured: z.array(z.string()).describe('integrations with an OAuth app of the organization') });

export const propertyRequest = z.strictObject({
  workspaceId: uuid,
  actionName: name,
  propertyName: name,
  input: jsonObject.default({}).describe('what was filled in so far'),
  searchValue: text.max(500).optional().describe('what was typed to narrow the choices down'),
  connectionExternalId: name.optional(),
  workspaceIntegrationId: uuid.optional(),
  integrationAlias: alias.optional(),
  endUserId: endUserId.optional(),
});

const disabled = z.boolean().describe('true while an input that this one depends on is missing, or no account is connected');

export const propertyOptionsAnswer = z.object({ options: z.array(propOption), disabled });

export const resolvedPropertyAnswer = z.object({
  schema: jsonObject.describe("JSON Schema of the input's value"),
  props: z.record(z.string(), prop).describe('the fields of an object input'),
  disabled,
});

import { z } from 'zod';
import { enforcedKeyIssues } from '../../../commands/partials/check-partial.ts';
import { PARTIAL } from '../../../domain/limits.ts';
import { alias, jsonObject, kept, keptJson, name, page, text, timestamp, uuid } from '../../schemas.ts';

const MAX_KEYS = 1000;

const partialName = text.min(1).max(PARTIAL.nameMaxLength);
const description = text.max(PARTIAL.descriptionMaxLength);
const values = keptJson.describe('preset inputs; an action ignores keys that are not among its inputs');
const enforcedKeys = kept(z.array(text).max(MAX_KEYS)).describe('keys of values that no caller can override');

export const newPartial = z
  .strictObject({
    workspaceId: uuid,
    integrationName: name,
    workspaceIntegrationId: uuid.optional().describe('only for this configured instance; alternatively, send integrationAlias'),
    integrationAlias: alias.optional(),
    actionName: name
      .optional()
      .describe('only for this action; without actionName and triggerName, the partial is for the whole integration'),
    triggerName: name.optional(),
    name: partialName.describe('unique per integration and workspace'),
    description: description.optional(),
    values: values.default({}),
    enforcedKeys: enforcedKeys.default([]),
    isDefault: z
      .boolean()
      .default(false)
      .describe('applies to calls and tools that name no partials; a new default replaces the former default'),
  })
  .superRefine((body, context) => {
    if (body.actionName !== undefined && body.triggerName !== undefined)
      context.addIssue({ code: 'custom', path: ['triggerName'], message: 'cannot be combined with actionName' });
    for (const { path, message } of enforcedKeyIssues(body)) context.addIssue({ code: 'custom', path: path.split('.'), message });
  });

/** Absent fields stay unchanged. `values` and `enforcedKeys` are replaced as a whole. */
export const partialChanges = z
  .strictObject({ name: partialName, description: description.nullable(), values, enforcedKeys, isDefault: z.boolean() })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const partialDefault = z.strictObject({ isDefault: z.boolean() });

export const partialsQuery = page.extend({
  workspaceId: uuid.optional(),
  integrationName: name.optional(),
  workspaceIntegrationId: uuid.optional(),
  integrationAlias: name.optional(),
  actionName: name.optional(),
});

export const partial = z
  .object({
    id: uuid,
    orgId: uuid,
    workspaceId: uuid,
    integrationName: z.string(),
    workspaceIntegrationId: uuid.nullable(),
    integrationAlias: z.string().nullable(),
    actionName: z.string().nullable(),
    triggerName: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    values: jsonObject,
    enforcedKeys: z.array(z.string()),
    isDefault: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Partial' });

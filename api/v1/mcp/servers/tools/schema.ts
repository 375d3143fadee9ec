import { z } from 'zod';
import { DESCRIPTION_MAX_LENGTH } from '../../../../../domain/limits.ts';
import { alias, jsonObject, keptJson, name, partialIds, text, uuid } from '../../../../schemas.ts';

const description = text.max(DESCRIPTION_MAX_LENGTH);

export const newMcpTool = z.strictObject({
  integrationName: name,
  actionName: name,
  integrationAlias: alias.optional(),
  toolType: z.enum(['ACTION']).default('ACTION'),
  connectionId: uuid.optional(),
  displayName: name.optional(),
  description: description.optional(),
  inputDefaults: keptJson.optional(),
  partialIds: partialIds.default([]),
  sortOrder: z.number().default(0),
});

/** Absent fields stay unchanged. */
export const mcpToolChanges = z
  .strictObject({
    displayName: name,
    description: description.nullable(),
    inputDefaults: keptJson,
    connectionId: uuid.nullable(),
    sortOrder: z.number(),
    integrationAlias: alias,
    partialIds,
  })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const mcpTool = z
  .object({
    id: uuid,
    mcpServerId: uuid,
    integrationName: z.string(),
    integrationAlias: z.string(),
    actionName: z.string(),
    toolType: z.literal('ACTION'),
    connectionId: uuid.nullable(),
    displayName: z.string().nullable(),
    description: z.string().nullable(),
    inputDefaults: jsonObject.nullable(),
    partialIds: z.array(z.string()),
    sortOrder: z.number(),
    sourceWorkspaceIntegrationId: uuid
      .nullable()
      .describe('the workspace integration that the tool is synced from; null for a tool added manually'),
  })
  .meta({ id: 'McpTool' });

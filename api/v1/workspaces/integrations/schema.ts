import { z } from 'zod';
import { ADVANCED_CODE_TIMEOUT_SECONDS } from '../../../../domain/limits.ts';
import { CONNECTION_STRATEGIES } from '../../../../domain/policies/policy.ts';
import { PERSISTENCE_SCOPES } from '../../../../domain/workspace-integration.ts';
import { alias, name, timestamp, uuid } from '../../../schemas.ts';

const MAX_ACTIONS = 1000;

const externalId = name;

const persistence = z
  .strictObject({ scope: z.enum(PERSISTENCE_SCOPES).default('end_user'), externalId: externalId.optional() })
  .refine(({ scope, externalId }) => scope !== 'external' || externalId !== undefined, {
    path: ['externalId'],
    message: 'is required when scope is external',
  });

const advancedCode = z
  .strictObject({
    timeoutSeconds: z
      .number()
      .min(ADVANCED_CODE_TIMEOUT_SECONDS.min)
      .max(ADVANCED_CODE_TIMEOUT_SECONDS.max)
      .default(ADVANCED_CODE_TIMEOUT_SECONDS.default),
    sandboxPersistence: z.enum(['ephemeral', 'persistent']).default('ephemeral'),
    storageMountScope: z.enum(['none', 'end_user', 'workspace', 'external']).default('none'),
    storageExternalId: externalId.optional(),
  })
  .refine(({ storageMountScope, storageExternalId }) => storageMountScope !== 'external' || storageExternalId !== undefined, {
    path: ['storageExternalId'],
    message: 'is required when storageMountScope is external',
  });

const settings = z.strictObject({ persistence: persistence.optional(), advancedCode: advancedCode.optional() });
const enabledActions = z.array(name).max(MAX_ACTIONS);

export const newWorkspaceIntegration = z.strictObject({
  integrationName: name,
  alias: alias.optional(),
  connectionStrategy: z.enum(CONNECTION_STRATEGIES).default('fixed'),
  connectionId: uuid.optional(),
  displayName: name.optional(),
  enabledActions: enabledActions.optional(),
  settings: settings.default({}),
  sortOrder: z.number().default(0),
});

/**
 * Absent fields stay unchanged, and `settings` is replaced as a whole. Null clears or resets a
 * field that accepts null.
 */
export const workspaceIntegrationChanges = z
  .strictObject({
    alias,
    connectionStrategy: z.enum(CONNECTION_STRATEGIES),
    connectionId: uuid.nullable(),
    displayName: name.nullable(),
    enabledActions: enabledActions.nullable(),
    settings: settings.nullable(),
    sortOrder: z.number(),
  })
  .partial()
  .optional();

export const workspaceIntegration = z
  .object({
    id: uuid,
    workspaceId: uuid,
    orgId: uuid,
    integrationName: z.string(),
    alias: z.string(),
    displayName: z.string().nullable(),
    connectionStrategy: z.enum(CONNECTION_STRATEGIES),
    connectionId: uuid.nullable(),
    enabledActions: z.array(z.string()).nullable(),
    settings,
    sortOrder: z.number(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'WorkspaceIntegration' });

export const listedWorkspaceIntegration = workspaceIntegration
  .extend({
    connectionStatus: z.string().nullable(),
    connectionDisplayName: z.string().nullable(),
    connectionExternalId: z.string().nullable(),
  })
  .meta({ id: 'ListedWorkspaceIntegration' });

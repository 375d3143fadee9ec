import { z } from 'zod';
import { name, timestamp, uuid } from '../../schemas.ts';

const MAX_WORKSPACES = 1000;
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z');

const permissions = z.strictObject({
  scope: z.enum(['org', 'workspace']).optional(),
  workspaceIds: z.array(uuid).max(MAX_WORKSPACES).optional(),
  approvals: z.strictObject({ decide: z.boolean().optional() }).optional(),
});

const expiresAt = z.iso
  .datetime({ offset: true })
  .refine((time) => !(Date.parse(time) < YEAR_0 || Date.parse(time) >= YEAR_10000), 'must be in the years 0000 to 9999 of UTC');

export const newApiKey = z
  .strictObject({ name, expiresAt: expiresAt.optional(), permissions: permissions.default({}) })
  .superRefine(({ permissions: { scope, workspaceIds } }, context) => {
    if (scope === 'workspace' && !workspaceIds) {
      context.addIssue({
        code: 'custom',
        path: ['permissions', 'workspaceIds'],
        message: 'is required when permissions.scope is workspace',
      });
    }
    if (scope !== 'workspace' && workspaceIds) {
      context.addIssue({
        code: 'custom',
        path: ['permissions', 'scope'],
        message: 'must be workspace when permissions.workspaceIds is given',
      });
    }
  });

export const apiKey = z
  .object({
    id: uuid,
    name: z.string(),
    keyPrefix: z.string(),
    permissions,
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'ApiKey' });

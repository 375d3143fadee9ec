import { z } from 'zod';
import { SLUG } from '../../../domain/limits.ts';
import { name, timestamp, uuid } from '../../schemas.ts';

const slug = z.string().max(SLUG.maxLength).regex(SLUG.pattern, 'must hold only a-z, 0-9 and -, and start with a letter or digit');

export const workspace = z
  .object({ id: uuid, orgId: uuid, name: z.string(), slug: z.string(), createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: 'Workspace' });

export const newWorkspace = z.strictObject({ name, slug });

export const workspaceChanges = z
  .strictObject({ name: name.optional(), slug: slug.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

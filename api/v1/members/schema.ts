import { z } from 'zod';
import { EMAIL_MAX_LENGTH } from '../../../domain/limits.ts';
import { ORG_ROLES } from '../../../domain/policies/policy.ts';
import { name, timestamp, uuid } from '../../schemas.ts';

const email = z.email().max(EMAIL_MAX_LENGTH);
const role = z.enum(ORG_ROLES);

export const newMember = z.strictObject({ name, email, role });

export const memberChanges = z
  .strictObject({ name, role })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'provide at least one field to change');

export const member = z
  .object({
    id: uuid,
    name: z.string().nullable(),
    email: z.string(),
    role,
    joinedAt: timestamp.nullable().describe('the first sign-in'),
    createdAt: timestamp,
  })
  .meta({ id: 'Member' });

export const signInLink = z.string().describe('signs the member in once, within 7 days; shown only in this answer');

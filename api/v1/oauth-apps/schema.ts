import { z } from 'zod';
import { name, text, timestamp, uuid } from '../../schemas.ts';

const CREDENTIAL_MAX_LENGTH = 2000;

export const newOauthApp = z.strictObject({
  integrationName: name,
  clientId: text.min(1).max(CREDENTIAL_MAX_LENGTH),
  clientSecret: text.min(1).max(CREDENTIAL_MAX_LENGTH).describe('Stored encrypted and never returned'),
  displayName: name.optional(),
});

export const oauthApp = z
  .object({
    id: uuid,
    integrationName: z.string(),
    clientId: z.string(),
    displayName: z.string().nullable(),
    createdAt: timestamp,
    redirectUri: z
      .string()
      .optional()
      .describe('of a custom integration: its redirect URI, to be registered at the third party; absent: PLATFORM_URL/connect/callback'),
  })
  .meta({ id: 'OauthApp' });

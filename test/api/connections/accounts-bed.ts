import { z } from 'zod';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { INTEGRATIONS, openCatalog } from '../../../integrations/catalog.ts';
import { type AuthMethod, action, integration } from '../../../integrations/definition.ts';
import { codeObjectSchema } from '../../../integrations/schema/value-schema.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const method = (key: string, type: AuthMethod['type'], more: Partial<AuthMethod> = {}): AuthMethod => ({
  key,
  type,
  displayName: key,
  description: '',
  ...more,
});

const withAuth = (name: string, auth: AuthMethod[]) =>
  integration({
    name,
    displayName: name,
    description: 'For tests',
    logoUrl: null,
    categories: ['COMMUNICATION'],
    auth,
    actions: {
      send: action({
        displayName: 'Send',
        description: 'Sends',
        category: 'send',
        input: z.object({ to: z.string() }),
        output: z.object({}),
        run: () => ({}),
      }),
    },
  });

const ACCOUNTS = [
  withAuth('chat', [
    method('token', 'SECRET_TEXT'),
    method('login', 'BASIC_AUTH'),
    method('server', 'CUSTOM_AUTH', {
      props: codeObjectSchema(z.object({ region: z.enum(['eu', 'us']), apiKey: z.string(), port: z.int().default(443) })),
    }),
    method('consent', 'OAUTH2'),
  ]),
  withAuth('press', [method('site', 'BASIC_AUTH', { props: codeObjectSchema(z.object({ site: z.url().meta({ public: true }) })) })]),
  withAuth('ledger', [method('live', 'SECRET_TEXT'), method('test', 'SECRET_TEXT')]),
  withAuth('calendar', [method('ours', 'PLATFORM_OAUTH2')]),
];

/** Opens the API with integrations that have different auth methods. */
export async function openAccountsBed(): Promise<ApiBed> {
  const bed = await openApiBed();
  bed.gateway.catalog = openOrgCatalog(bed.gateway.db, openCatalog([...INTEGRATIONS, ...ACCOUNTS]));
  return bed;
}

/** For each connection type, a valid request body that connects `chat`. */
export const BODIES = {
  SECRET_TEXT: { secretText: 's3cret' },
  BASIC_AUTH: { username: 'ada', password: 'pa55' },
  CUSTOM_AUTH: { props: { region: 'eu', apiKey: 'k3y' } },
  OAUTH2: { accessToken: 'acc355' },
  PLATFORM_OAUTH2: {
    accessToken: 'acc355',
    refreshToken: 'r3fresh',
    tokenType: 'Bearer',
    expiresIn: 3600,
    scope_oauth: 'read',
    data: { team: 'T1' },
  },
} as const;

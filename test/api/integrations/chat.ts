import { z } from 'zod';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { openSurfaceCache } from '../../../commands/surfaces/surface-cache.ts';
import { INTEGRATIONS, openCatalog } from '../../../integrations/catalog.ts';
import { ActionError, action, integration, type PropContext } from '../../../integrations/definition.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

function chat(thirdParty: string) {
  const ask = async ({ auth, outbound, signal, search }: PropContext, path: string) => {
    const secret = auth?.type === 'SECRET_TEXT' ? auth.secretText : 'nobody';
    const query = search === undefined ? '' : `?search=${search}`;
    const { status, body } = await outbound.request({
      url: `${thirdParty}${path}${query}`,
      headers: { authorization: `Bearer ${secret}` },
      signal,
    });
    if (status !== 200) throw new ActionError(`Chat answered ${status}: ${body.toString()}`);
    return JSON.parse(body.toString());
  };
  return integration({
    name: 'chat',
    displayName: 'Chat',
    description: 'For tests',
    logoUrl: null,
    categories: ['COMMUNICATION'],
    auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: 'A token' }],
    actions: {
      send: action({
        displayName: 'Send',
        description: 'Sends',
        category: 'send',
        input: z.object({
          team: z.string(),
          channel: z.string().meta({ 'x-prop-type': 'SHORT_TEXT', 'x-internal': 'secret note' }),
          labels: z.array(z.string()).optional(),
          form: z.record(z.string(), z.unknown()).optional(),
          priority: z.enum(['low', 'high']).default('low'),
          settings: z.object({ silent: z.boolean() }).optional(),
        }),
        output: z.object({ ok: z.boolean() }),
        dynamic: {
          channel: { refreshers: ['team'], options: (context) => ask(context, `/channels/${context.input.team}`) },
          labels: { refreshers: [], options: (context) => ask(context, '/labels') },
          form: {
            refreshers: ['channel'],
            fields: async (context) => {
              const names: string[] = await ask(context, `/form/${context.input.channel}`);
              return z.object(Object.fromEntries(names.map((name) => [name, z.string().max(50).describe(`the ${name}`)])));
            },
          },
        },
        run: () => ({ ok: true }),
      }),
      broken: action({
        displayName: 'Broken',
        description: 'Its choices are a mistake',
        category: 'read',
        input: z.object({ choice: z.string() }),
        output: z.object({}),
        dynamic: {
          choice: {
            refreshers: [],
            options: async ({ auth }) => {
              throw new TypeError(`oops ${JSON.stringify(auth)}`);
            },
          },
        },
        run: () => ({}),
      }),
    },
  });
}

/** Opens the API with an integration `chat`, whose choices come from this third party. */
export async function openChatBed(thirdParty: string): Promise<ApiBed> {
  const bed = await openApiBed();
  const { db, setups } = bed.gateway;
  const catalog = openOrgCatalog(db, openCatalog([...INTEGRATIONS, chat(thirdParty)]));
  Object.assign(bed.gateway, { catalog, surfaces: openSurfaceCache(db, catalog, setups) });
  return bed;
}

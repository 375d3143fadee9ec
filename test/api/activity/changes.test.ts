import { type ConnectBed, openConnectBed } from '../connect/connect-bed.ts';
import { aMember } from '../pages/app/app-bed.ts';
import { type Act, expectRecorded, writtenBy } from './recorded-acts.ts';

const SERVERS = '/api/v1/mcp/servers';
const SECRET = 'zq-a-client-secret';

let bed: ConnectBed;
beforeAll(async () => {
  bed = await openConnectBed();
  await bed.api.must(201).post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: 'ada' });
});
afterAll(() => bed?.close());

const aServer = async (fields: object = {}) =>
  bed.api.must(201).post(SERVERS, { name: 'Desk', workspaceId: bed.workspaceId, authMode: 'oauth_and_bearer', ...fields });

const ACTS: Record<string, () => Promise<Act>> = {
  'creating a server': async () => ({
    types: ['mcp_server.created', 'mcp_token.issued'],
    act: async () => {
      const { server, bearerToken } = await aServer();
      return { subject: { details: { serverId: server.id, name: 'Desk' } }, secrets: [bearerToken] };
    },
  }),
  'changing a server': async () => {
    const { server } = await aServer();
    return {
      types: ['mcp_server.updated'],
      act: async () => {
        await bed.api.must(200).patch(`${SERVERS}/${server.id}`, { name: 'Till', mode: 'TOOLS', endUserId: 'ada' });
        return { subject: { details: { serverId: server.id, name: 'Till', endUserId: 'ada', changed: ['name', 'endUserId'] } } };
      },
    };
  },
  'changing a server to its current values': async () => {
    const { server } = await aServer();
    return {
      types: [],
      act: async () => {
        await bed.api.must(200).patch(`${SERVERS}/${server.id}`, { name: 'Desk', mode: 'TOOLS' });
        return { subject: {} };
      },
    };
  },
  'allowing a static token': async () => {
    const { server } = await aServer({ authMode: 'oauth' });
    return {
      types: ['mcp_server.updated', 'mcp_token.issued'],
      act: async () => {
        const { bearerToken } = await bed.api.must(200).patch(`${SERVERS}/${server.id}`, { authMode: 'bearer' });
        return { subject: { details: { serverId: server.id } }, secrets: [bearerToken] };
      },
    };
  },
  'replacing a static token': async () => {
    const { server, bearerToken: former } = await aServer();
    return {
      types: ['mcp_token.issued'],
      act: async () => {
        const { bearerToken } = await bed.api.must(200).post(`${SERVERS}/${server.id}/regenerate-token`, {});
        const tokenPrefix = bearerToken.slice(0, 12);
        return { subject: { details: { serverId: server.id, kind: 'static', tokenPrefix } }, secrets: [bearerToken, former] };
      },
    };
  },
  ...Object.fromEntries(
    [['access-tokens', 'end_user'] as const, ['oauth-tokens', 'oauth'] as const].flatMap(([path, kind]) => [
      [
        `issuing one of the ${path}`,
        async (): Promise<Act> => {
          const { server } = await aServer();
          return {
            types: ['mcp_token.issued'],
            act: async () => {
              const { accessToken, token } = await bed.api.must(201).post(`${SERVERS}/${server.id}/${path}`, { endUserId: 'ada' });
              const { tokenPrefix, expiresAt, scopes } = token;
              return {
                subject: { details: { serverId: server.id, kind, endUserId: 'ada', tokenPrefix, expiresAt, scopes } },
                secrets: [accessToken],
              };
            },
          };
        },
      ],
      [
        `revoking one of the ${path}`,
        async (): Promise<Act> => {
          const { server } = await aServer();
          const { accessToken, token } = await bed.api.must(201).post(`${SERVERS}/${server.id}/${path}`, { endUserId: 'ada' });
          return {
            types: ['mcp_token.revoked'],
            act: async () => {
              await bed.api.must(200).delete(`${SERVERS}/${server.id}/${path}/${token.id}`);
              const { tokenPrefix } = token;
              return { subject: { details: { serverId: server.id, kind, endUserId: 'ada', tokenPrefix } }, secrets: [accessToken] };
            },
          };
        },
      ],
    ]),
  ),
  'deleting a server': async () => {
    const { server, bearerToken } = await aServer();
    return {
      types: ['mcp_server.deleted'],
      act: async () => {
        await bed.api.must(200).delete(`${SERVERS}/${server.id}`);
        return { subject: { details: { serverId: server.id, name: 'Desk' } }, secrets: [bearerToken] };
      },
    };
  },
  'configuring an OAuth app': async () => ({
    types: ['oauth_app.created'],
    isOrgWide: true,
    act: async () => {
      const body = { integrationName: 'cloud', clientId: 'abc', clientSecret: SECRET };
      const { oauthApp } = await bed.api.must(201).post('/api/v1/oauth-apps', body);
      return { subject: { integrationName: 'cloud', details: { oauthAppId: oauthApp.id, clientId: 'abc' } }, secrets: [SECRET] };
    },
  }),
  'removing an OAuth app': async () => {
    const body = { integrationName: 'vault', clientId: 'def', clientSecret: SECRET };
    const { oauthApp } = await bed.api.must(201).post('/api/v1/oauth-apps', body);
    return {
      types: ['oauth_app.deleted'],
      isOrgWide: true,
      act: async () => {
        await bed.api.must(200).delete(`/api/v1/oauth-apps/${oauthApp.id}`);
        return { subject: { integrationName: 'vault', details: { oauthAppId: oauthApp.id, clientId: 'def' } }, secrets: [SECRET] };
      },
    };
  },
};

test.each(Object.entries(ACTS))('%s writes exactly the expected activity rows, without secrets', async (_, prepare) => {
  await expectRecorded(bed, await prepare());
});

test('a refused change writes no activity row', async () => {
  const { server } = await aServer({ authMode: 'oauth' });
  const rows = await writtenBy(bed, async () => {
    await bed.api.must(409).post(`${SERVERS}/${server.id}/access-tokens`, { endUserId: 'ada' });
    await bed.api.must(409).post(`${SERVERS}/${server.id}/regenerate-token`, {});
    await bed.api.must(404).delete(`${SERVERS}/${server.id}/access-tokens/${server.id}`);
  });
  expect(rows).toEqual([]);
});

test('suspending or resuming a server twice writes one row, which names the member', async () => {
  const admin = await aMember(bed, 'admin', { name: 'Ada Admin' });
  const { server } = await aServer({ name: 'Counter' });
  const rows = await writtenBy(bed, async () => {
    for (const verb of ['suspend', 'suspend', 'resume', 'resume'])
      expect((await admin.post(`/servers/${server.id}/${verb}`)).status).toBe(303);
  });
  const actor = { actorType: 'user', actorId: admin.id, details: { serverId: server.id, name: 'Counter' } };
  expect(rows).toMatchObject([
    { type: 'mcp_server.suspended', ...actor },
    { type: 'mcp_server.resumed', ...actor },
  ]);
  const { html, text } = await admin.get('/activity?type=mcp_server.suspended');
  expect(html).toContain(`<a href="/app/servers/${server.id}">MCP server suspended</a>`);
  expect(text).toMatch(/MCP server suspended.*Counter/);
});

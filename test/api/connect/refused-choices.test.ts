import { type Fake, openFake } from '../../integrations/providers/provider-bed.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { callServer } from '../oauth/oauth-bed.ts';

let bed: ApiBed;
let slack: Fake;
let server: { mcpEndpoint: string };
let bearerToken: string;
let connectionId: string;
beforeAll(async () => {
  [bed, slack] = await Promise.all([openApiBed(), openFake('https://slack.com')]);
  Object.assign(bed.gateway, { outbound: slack.outbound });
  const make = bed.api.must(201);
  const { workspaceId } = bed;
  await make.post('/api/v1/oauth-apps', { integrationName: 'slack', clientId: 'app', clientSecret: 'zq-app-secret' });
  await make.post('/api/v1/end-users', { workspaceId, externalId: 'ada' });
  const fields = { integrationName: 'slack', connectionStrategy: 'per_user', enabledActions: ['send_channel_message'] };
  await make.post(`/api/v1/workspaces/${workspaceId}/integrations`, fields);
  const made = await make.post('/api/v1/mcp/servers', { name: 'x', workspaceId, authMode: 'bearer', endUserId: 'ada' });
  server = { mcpEndpoint: `${bed.apiUrl}${new URL(made.mcpEndpoint).pathname}` };
  bearerToken = made.bearerToken;
}, 120_000);
afterAll(() => Promise.all([bed?.close(), slack?.close()]));
beforeEach(async () => {
  await bed.gateway.db('connections').delete();
  const account = { integrationName: 'slack', externalId: 'ada', type: 'OAUTH2', accessToken: 'zq-old', refreshToken: 'zq-refresh' };
  const { connection } = await bed.api
    .must(201)
    .post('/api/v1/connections', { ...account, workspaceId: bed.workspaceId, endUserId: 'ada' });
  connectionId = connection.id;
});

const REFUSED = { body: { ok: false, error: 'token_expired' } };
const GRANTED = { body: { ok: true, access_token: 'zq-new', refresh_token: 'zq-next' } };
const GONE = { status: 400, body: { error: 'invalid_grant', error_description: 'It was revoked.' } };
const CHANNELS = { body: { ok: true, channels: [{ id: 'C1', name: 'general' }] } };
const OPTIONS = [{ label: '#general', value: 'C1' }];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function helper(): Promise<any> {
  const { body } = await callServer(server, bearerToken, 'tools/call', { name: 'slack__list_channels' });
  return (body as { result: object }).result;
}

function options() {
  const request = { workspaceId: bed.workspaceId, actionName: 'send_channel_message', propertyName: 'channel', endUserId: 'ada' };
  return bed.api.must(200).post('/api/v1/integrations/slack/properties/options', request);
}

const shown = async () => (await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`)).connection;
const tokensSeen = () => slack.seen.map(({ url, headers }) => (url.includes('oauth') ? 'refresh' : headers.authorization));

test('if the access token is refused, a helper tool refreshes the token and lists the choices', async () => {
  slack.answers(REFUSED, GRANTED, CHANNELS);
  expect(await helper()).toMatchObject({ isError: false, structuredContent: { options: OPTIONS } });
  expect(tokensSeen()).toEqual(['Bearer zq-old', 'refresh', 'Bearer zq-new']);
  expect(await helper()).toMatchObject({ isError: false });
  expect(tokensSeen().at(-1)).toBe('Bearer zq-new');
});

test('if the access token is refused, a REST request for choices refreshes the token and lists the choices', async () => {
  slack.answers(REFUSED, GRANTED, CHANNELS);
  expect(await options()).toEqual({ options: OPTIONS, disabled: false });
});

test('after the grant is revoked, a helper tool returns the connect link, and choices are disabled', async () => {
  slack.answers(REFUSED, GONE);
  const refused = await helper();
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'CONNECTION_REQUIRED' } } });
  expect(refused.content[0].text).toMatch(/\/connect\/portal\?token=eut_/);
  const statusReason = expect.stringMatching(/ gave no access: invalid_grant: It was revoked\.$/);
  expect(await shown()).toMatchObject({ status: 'ERROR', statusReason });
  expect(await options()).toEqual({ options: [], disabled: true });
  expect(slack.seen).toHaveLength(2);
});

test('if a REST request for choices finds the grant revoked, choices are disabled', async () => {
  slack.answers(REFUSED, GONE);
  expect(await options()).toEqual({ options: [], disabled: true });
  expect(await shown()).toMatchObject({ status: 'ERROR' });
});

import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';

let bed: ApiBed;
let owner: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  owner = await aMember(bed, 'owner');
});
afterAll(() => bed?.close());

const statusOf = (html: string) => /role="status">([^<]*)</.exec(html)?.[1];

async function aServer(authMode: string): Promise<string> {
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'Desk', workspaceId: bed.workspaceId, authMode });
  return server.id;
}

async function aPerson(): Promise<string> {
  const { endUser } = await bed.api
    .must(201)
    .post('/api/v1/end-users', { workspaceId: bed.workspaceId, externalId: crypto.randomUUID(), email: 'ada@example.com' });
  return endUser.id;
}

const post = async (path: string, fields: Record<string, string> = {}) => owner.post(path, fields);

test.each<[string, string, string, () => ReturnType<typeof post>]>([
  ['a key', 'API key', 'Backend is created.', () => post('/keys/new', { name: 'Backend' })],
  [
    'an invitation',
    'Sign-in link',
    'The link is created.',
    () => post('/settings/members/new', { email: 'eve@example.com', role: 'viewer' }),
  ],
  ['a connect link', 'Connect link', 'The link is created.', async () => post(`/people/${await aPerson()}/connect-link`)],
  ['an invited person', 'Connect link', 'The link is created.', async () => post(`/people/${await aPerson()}/invite`)],
  ['a new token of a server', 'Token', 'Desk has a new token.', async () => post(`/servers/${await aServer('bearer')}/replace-token`)],
  [
    'a server with a token',
    'Token',
    'Desk 2 is created.',
    () =>
      post('/servers/new', {
        ...{ name: 'Desk 2', workspaceId: bed.workspaceId, mode: 'TOOLS', authMode: 'bearer', endUserAccess: 'restricted' },
      }),
  ],
])('%s: the page labels the secret and the copy button with the same words', async (_, label, done, act) => {
  const { status, html } = await act();
  expect([status, statusOf(html)]).toEqual([200, done]);
  const button = label === 'API key' ? 'Copy API key' : `Copy ${label.toLowerCase()}`;
  expect(html).toContain(`<label for="secret">${label}</label>`);
  expect(html).toContain(`data-copy="secret" hidden>${button}</button>`);
});

test('the page of a server links to the token form only for permitted members', async () => {
  const id = await aServer('oauth');
  const toForm = '<a class="button" href="#new-token">New token</a>';
  expect((await owner.get(`/servers/${id}`)).html).toContain(toForm);
  expect((await (await aMember(bed, 'viewer')).get(`/servers/${id}`)).html).not.toContain(toForm);
});

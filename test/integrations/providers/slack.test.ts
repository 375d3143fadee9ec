import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run } from './provider-bed.ts';

const TOKEN = 'xoxb-1234-s3cret';
const bot: AuthValue = { type: 'SECRET_TEXT', secretText: TOKEN };
const slack = providerNamed('slack');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://slack.com');
});
afterAll(() => fake.close());

const call = (name: string, input: object, auth: AuthValue = bot) => run(slack, name, input, { auth, outbound: fake.outbound });
const ok = (body: object) => fake.answers({ body: { ok: true, ...body } });

describe('actions', () => {
  test("send_channel_message posts to the channel and returns the message's identifiers", async () => {
    ok({ channel: 'C1', ts: '1503435956.000247', message: { text: 'Hi' } });
    expect(await call('send_channel_message', { channel: 'C1', text: 'Hi', thread_ts: '1.2' })).toEqual({
      channel: 'C1',
      ts: '1503435956.000247',
    });
    expect(fake.seen).toEqual([
      {
        method: 'POST',
        url: '/api/chat.postMessage',
        headers: expect.objectContaining({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json; charset=utf-8' }),
        body: { channel: 'C1', text: 'Hi', thread_ts: '1.2' },
      },
    ]);
  });

  test('send_direct_message posts to the person', async () => {
    ok({ channel: 'D1', ts: '1.1' });
    const blocks = [{ type: 'divider' }];
    expect(await call('send_direct_message', { user_id: 'U1', text: 'Hi', blocks })).toEqual({ channel: 'D1', ts: '1.1' });
    expect(fake.seen).toMatchObject([{ url: '/api/chat.postMessage', body: { channel: 'U1', text: 'Hi', blocks } }]);
  });

  test('update_message', async () => {
    ok({ channel: 'C1', ts: '1.1', text: 'New' });
    expect(await call('update_message', { channel: 'C1', ts: '1.1', text: 'New' })).toEqual({ channel: 'C1', ts: '1.1', text: 'New' });
    expect(fake.seen).toMatchObject([{ method: 'POST', url: '/api/chat.update', body: { channel: 'C1', ts: '1.1', text: 'New' } }]);
  });

  test('add_reaction', async () => {
    ok({});
    expect(await call('add_reaction', { channel: 'C1', timestamp: '1.1', name: 'thumbsup' })).toEqual({ added: true });
    expect(fake.seen).toMatchObject([{ url: '/api/reactions.add', body: { channel: 'C1', timestamp: '1.1', name: 'thumbsup' } }]);
  });

  test('list_channels requests one page and returns the next cursor', async () => {
    const general = { id: 'C1', name: 'general', is_private: false, num_members: 3, topic: { value: 'All' }, creator: 'U0' };
    ok({ channels: [general], response_metadata: { next_cursor: 'dGVhbQ==' } });
    expect(await call('list_channels', { types: ['public_channel', 'im'], limit: 1 })).toEqual({
      channels: [{ id: 'C1', name: 'general', is_private: false, num_members: 3, topic: 'All' }],
      nextCursor: 'dGVhbQ==',
    });
    expect(fake.seen[0]!.url).toBe('/api/conversations.list?types=public_channel%2Cim&exclude_archived=true&limit=1');
    ok({ channels: [], response_metadata: { next_cursor: '' } });
    expect(await call('list_channels', { cursor: 'dGVhbQ==' })).toEqual({ channels: [], nextCursor: null });
    expect(fake.seen[0]!.url).toBe('/api/conversations.list?types=public_channel&exclude_archived=true&limit=100&cursor=dGVhbQ%3D%3D');
  });

  test('find_user_by_email', async () => {
    ok({ user: { id: 'U1', name: 'ada', real_name: 'Ada', profile: { email: 'ada+x@example.com', image_24: 'x' } } });
    expect(await call('find_user_by_email', { email: 'ada+x@example.com' })).toEqual({
      user: { id: 'U1', name: 'ada', real_name: 'Ada', profile: { email: 'ada+x@example.com' } },
    });
    expect(fake.seen[0]).toMatchObject({ method: 'GET', url: '/api/users.lookupByEmail?email=ada%2Bx%40example.com', body: '' });
  });

  test('get_channel_history', async () => {
    ok({ messages: [{ type: 'message', ts: '1.1', text: 'Hi', user: 'U1' }], has_more: true, response_metadata: { next_cursor: 'c2' } });
    expect(await call('get_channel_history', { channel: 'C1', oldest: '1.0', limit: 15 })).toEqual({
      messages: [{ ts: '1.1', text: 'Hi', user: 'U1' }],
      nextCursor: 'c2',
    });
    expect(fake.seen[0]!.url).toBe('/api/conversations.history?channel=C1&oldest=1.0&limit=15');
  });
});

test('an OAuth connection uses its access token', async () => {
  ok({ channel: 'C1', ts: '1.1' });
  await call('send_channel_message', { channel: 'C1', text: 'x' }, { type: 'PLATFORM_OAUTH2', accessToken: 'xoxb-oauth', data: {} });
  expect(fake.seen[0]!.headers.authorization).toBe('Bearer xoxb-oauth');
});

describe('failures', () => {
  const send = () => call('send_channel_message', { channel: 'C1', text: 'x' });

  test.each([
    ['not_in_channel', undefined, 'Slack refused: the app is not a member of the channel; invite it first (not_in_channel)', undefined],
    ['missing_scope', 'chat:write', expect.stringContaining('the token lacks the scope chat:write'), undefined],
    ['something_new', undefined, 'Slack refused: (something_new)', undefined],
    ['token_revoked', undefined, expect.stringContaining('refused the credentials of the connected account'), 'unauthorized'],
  ])('%s', async (error, needed, message, reason) => {
    fake.answers({ body: { ok: false, error, needed } });
    const failed = await send().catch((thrown) => thrown);
    expect(failed).toMatchObject({ code: 'ACTION_FAILED', message, details: { status: 200, code: error } });
    expect(failed.details.reason).toBe(reason);
  });

  test('429 says when to retry', async () => {
    fake.answers({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } });
    await expect(send()).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('try again in 30 s'),
      details: { status: 429, code: 'ratelimited', reason: 'rate_limited', retryAfterSeconds: 30 },
    });
  });
});

describe('choices', () => {
  test('of channels come from every page, sorted by name and filtered by the search text', async () => {
    const pages = [
      { body: { ok: true, channels: [{ id: 'C1', name: 'general' }], response_metadata: { next_cursor: 'two' } } },
      { body: { ok: true, channels: [{ id: 'C2', name: 'random' }] } },
    ];
    fake.answers(...pages);
    expect(await options(slack, 'send_channel_message.channel', {}, { auth: bot, outbound: fake.outbound })).toEqual([
      { label: '#general', value: 'C1' },
      { label: '#random', value: 'C2' },
    ]);
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/api/conversations.list?exclude_archived=true&types=public_channel%2Cprivate_channel&limit=999',
      '/api/conversations.list?exclude_archived=true&types=public_channel%2Cprivate_channel&limit=999&cursor=two',
    ]);
    fake.answers(...pages);
    expect(await options(slack, 'update_message.channel', {}, { auth: bot, outbound: fake.outbound, search: 'RAND' })).toEqual([
      { label: '#random', value: 'C2' },
    ]);
  });

  test('of people leave out bots and former members', async () => {
    const members = [
      { id: 'U1', name: 'ada', real_name: 'Ada L.' },
      { id: 'U2', name: 'gone', deleted: true },
      { id: 'U3', name: 'robot', is_bot: true },
    ];
    ok({ members });
    expect(await options(slack, 'send_direct_message.user_id', {}, { auth: bot, outbound: fake.outbound })).toEqual([
      { label: 'Ada L.', value: 'U1' },
    ]);
  });

  test('if Slack refuses, choices fail with the same error as an action', async () => {
    fake.answers({ body: { ok: false, error: 'invalid_auth' } });
    await expect(options(slack, 'send_channel_message.channel', {}, { auth: bot, outbound: fake.outbound })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      details: { reason: 'unauthorized' },
    });
  });
});

test('a message has recipients, and a lookup has none', () => {
  expect(slack.actions.send_channel_message!.recipients!({ channel: 'C1', text: 'x' })).toEqual(['C1']);
  expect(slack.actions.send_direct_message!.recipients!({ user_id: 'U1', text: 'x' })).toEqual(['U1']);
  expect(slack.actions.find_user_by_email!.recipients!({ email: 'ada@example.com' })).toEqual([]);
});

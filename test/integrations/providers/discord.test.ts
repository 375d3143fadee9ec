import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run } from './provider-bed.ts';

const auth: AuthValue = { type: 'SECRET_TEXT', secretText: 'MTk4.s3cret.token' };
const discord = providerNamed('discord');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://discord.com');
});
afterAll(() => fake.close());

const call = (name: string, input: object) => run(discord, name, input, { auth, outbound: fake.outbound });
const author = { id: '9', username: 'bot', global_name: null, bot: true };
const message = { id: '33', channel_id: '22', content: 'Hi', timestamp: '2026-01-01T00:00:00.000000+00:00', author };
const member = (id: string) => ({ user: { id, username: `user${id}` }, nick: null, roles: ['5'], joined_at: '2026-01-01T00:00:00Z' });

describe('actions', () => {
  test('send_channel_message', async () => {
    fake.answers({ body: { ...message, mentions: [], pinned: false } });
    const input = { channel_id: '22', content: 'Hi', embeds: [{ title: 'T' }], reply_to_message_id: '11' };
    expect(await call('send_channel_message', input)).toEqual(message);
    expect(fake.seen).toEqual([
      {
        method: 'POST',
        url: '/api/v10/channels/22/messages',
        headers: expect.objectContaining({
          authorization: 'Bot MTk4.s3cret.token',
          'user-agent': expect.stringMatching(/^DiscordBot \(/),
          'content-type': 'application/json; charset=utf-8',
        }),
        body: { content: 'Hi', embeds: [{ title: 'T' }], message_reference: { message_id: '11' } },
      },
    ]);
  });

  test('the User-Agent has the form that Discord requires, with the URL of the service', async () => {
    fake.answers({ body: message });
    const outbound = { ...fake.outbound, serviceUrl: 'https://gateway.acme.example' };
    await run(discord, 'send_channel_message', { channel_id: '22', content: 'Hi' }, { auth, outbound });
    expect(fake.seen[0]!.headers['user-agent']).toBe('DiscordBot (https://gateway.acme.example, 1.0)');
  });

  test('the next page of get_channel_messages begins before the oldest message of a full page', async () => {
    fake.answers({ body: [message, { ...message, id: '32' }] });
    expect(await call('get_channel_messages', { channel_id: '22', limit: 2 })).toMatchObject({ nextCursor: '32' });
    expect(await call('get_channel_messages', { channel_id: '22', cursor: '32' })).toMatchObject({ nextCursor: null });
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/api/v10/channels/22/messages?limit=2',
      '/api/v10/channels/22/messages?limit=100&before=32',
    ]);
  });

  test('delete_message', async () => {
    fake.answers({ status: 204 });
    expect(await call('delete_message', { channel_id: '22', message_id: '33' })).toEqual({ deleted: true });
    expect(fake.seen).toMatchObject([{ method: 'DELETE', url: '/api/v10/channels/22/messages/33', body: '' }]);
  });

  test('list_channels', async () => {
    fake.answers({ body: [{ id: '22', type: 0, name: 'general', guild_id: '1', position: 0 }] });
    expect(await call('list_channels', { guild_id: '1' })).toEqual({ channels: [{ id: '22', type: 0, name: 'general', guild_id: '1' }] });
    expect(fake.seen).toMatchObject([{ method: 'GET', url: '/api/v10/guilds/1/channels' }]);
  });

  test('create_channel sends the type as its number', async () => {
    fake.answers({ status: 201, body: { id: '23', type: 2, name: 'talk', parent_id: '7' } });
    expect(await call('create_channel', { guild_id: '1', name: 'talk', type: 'voice', parent_id: '7' })).toEqual({
      ...{ id: '23', type: 2, name: 'talk', parent_id: '7' },
    });
    expect(fake.seen).toMatchObject([
      { method: 'POST', url: '/api/v10/guilds/1/channels', body: { name: 'talk', type: 2, parent_id: '7' } },
    ]);
  });

  test('list_guild_members continues after the last member of a full page', async () => {
    fake.answers({ body: [member('3'), member('4')] });
    expect(await call('list_guild_members', { guild_id: '1', limit: 2, cursor: '2' })).toEqual({
      members: [member('3'), member('4')],
      nextCursor: '4',
    });
    expect(fake.seen[0]!.url).toBe('/api/v10/guilds/1/members?limit=2&after=2');
  });

  test('add_role_to_member and remove_role_from_member', async () => {
    fake.answers({ status: 204 });
    const input = { guild_id: '1', user_id: '3', role_id: '5' };
    expect(await call('add_role_to_member', input)).toEqual({ added: true });
    expect(await call('remove_role_from_member', input)).toEqual({ removed: true });
    expect(fake.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /api/v10/guilds/1/members/3/roles/5',
      'DELETE /api/v10/guilds/1/members/3/roles/5',
    ]);
  });
});

describe('failures', () => {
  test('the error for an invalid form names the fields', async () => {
    const errors = {
      embeds: { 0: { title: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 256 or fewer in length.' }] } } },
    };
    fake.answers({ status: 400, body: { code: 50035, message: 'Invalid Form Body', errors } });
    await expect(call('send_channel_message', { channel_id: '22', content: 'x' })).rejects.toMatchObject({
      message: 'Discord answered 400 Bad Request: Invalid Form Body; embeds.0.title: Must be 256 or fewer in length. (50035)',
      details: { status: 400, code: '50035' },
    });
  });

  test('401 and 429', async () => {
    fake.answers({ status: 401, body: { message: '401: Unauthorized', code: 0 } });
    await expect(call('list_channels', { guild_id: '1' })).rejects.toMatchObject({ details: { status: 401, reason: 'unauthorized' } });
    fake.answers({ status: 429, headers: { 'retry-after': '1.3' }, body: { message: 'You are being rate limited.', retry_after: 1.234 } });
    await expect(call('list_channels', { guild_id: '1' })).rejects.toMatchObject({
      message: 'Discord takes no more calls at the moment; try again in 2 s: You are being rate limited.',
      details: { reason: 'rate_limited', retryAfterSeconds: 2 },
    });
  });
});

describe('choices', () => {
  const choicesOf = (place: `${string}.${string}`, input: Record<string, unknown>) =>
    options(discord, place, input, { auth, outbound: fake.outbound });

  test('choices of Discord servers', async () => {
    fake.answers({ body: [{ id: '1', name: 'Home', owner: true }] });
    expect(await choicesOf('send_channel_message.guild_id', {})).toEqual([{ label: 'Home', value: '1' }]);
    expect(fake.seen[0]!.url).toBe('/api/v10/users/@me/guilds');
  });

  test('choices of channels, roles and members come from the chosen server, and are empty without a server', async () => {
    fake.answers({ body: [] });
    for (const place of ['send_channel_message.channel_id', 'add_role_to_member.role_id', 'add_role_to_member.user_id'] as const)
      expect(await choicesOf(place, { guild_id: '' })).toEqual([]);
    expect(fake.seen).toEqual([]);

    fake.answers({
      body: [
        { id: '22', type: 0, name: 'general' },
        { id: '7', type: 4, name: 'Category' },
      ],
    });
    expect(await choicesOf('send_channel_message.channel_id', { guild_id: '1' })).toEqual([{ label: '#general', value: '22' }]);
    fake.answers({ body: [{ id: '5', name: 'Admin' }] });
    expect(await choicesOf('add_role_to_member.role_id', { guild_id: '1' })).toEqual([{ label: 'Admin', value: '5' }]);
    expect(fake.seen[0]!.url).toBe('/api/v10/guilds/1/roles');
    fake.answers({ body: [{ ...member('3'), nick: 'Three' }, member('4')] });
    expect(await choicesOf('add_role_to_member.user_id', { guild_id: '1' })).toEqual([
      { label: 'Three', value: '3' },
      { label: 'user4', value: '4' },
    ]);
  });

  test('an input cannot add path segments to the address from which choices are requested', async () => {
    fake.answers({ body: [] });
    for (const guild_id of ['../../users/@me', '1?x=', '..', { id: 1 }])
      await choicesOf('add_role_to_member.role_id', { guild_id }).catch((error) => expect(error).toMatchObject({ code: 'ACTION_FAILED' }));
    expect(fake.seen.map(({ url }) => url)).toEqual(['/api/v10/guilds/..%2F..%2Fusers%2F%40me/roles', '/api/v10/guilds/1%3Fx%3D/roles']);
  });
});

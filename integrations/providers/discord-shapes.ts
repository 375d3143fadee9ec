import { z } from 'zod';
import { choices } from '../provider.ts';
import type { Answer } from '../provider-call.ts';
import type { Paging } from '../provider-paging.ts';

/** Form errors are nested by field; the first few are said. */
export const discordError = z
  .object({ message: z.string(), code: z.number().optional(), errors: z.unknown().optional() })
  .transform(({ message, code, errors }) => ({
    message: [message, ...formErrors(errors).slice(0, 5)].join('; '),
    code: code || undefined,
  }));

const FORM_MAX_DEPTH = 10;

function formErrors(node: unknown, path = '', depth = 0): string[] {
  if (typeof node !== 'object' || node === null || depth > FORM_MAX_DEPTH) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '_errors' && Array.isArray(value)
      ? value.map((item: { message?: unknown } | null) => `${path}: ${item?.message}`)
      : formErrors(value, path ? `${path}.${key}` : key, depth + 1),
  );
}

/** Lists go on after, or before, the last item that was seen. */
export function seek(cursor: 'after' | 'before', max: number, idOf: (item: never) => string | undefined): Paging {
  const next = ({ body, input }: Answer) =>
    Array.isArray(body) && body.length >= Number(input.limit ?? max) ? idOf(body.at(-1) as never) : undefined;
  return { cursor, size: { name: 'limit', default: Math.min(100, max), max }, next };
}
export const memberPaging = seek('after', 1000, (member: { user?: { id?: string } }) => member?.user?.id);

export const id = z
  .string()
  .regex(/^\d{1,20}$/, 'expects an id, a number of up to 20 digits')
  .describe('id, a number in quotes');
export const guild_id = id.describe('id of the server');
export const channel_id = id.describe('id of the channel');
export const channelOfGuild = {
  guild_id: guild_id.optional().describe('id of the server; it only helps to choose the channel'),
  channel_id,
};

export const CHANNEL_TYPES = { text: 0, voice: 2, category: 4, announcement: 5, stage: 13, forum: 15 } as const;

export const channel = z.object({
  id: z.string(),
  type: z.number(),
  name: z.string().nullish(),
  topic: z.string().nullish(),
  parent_id: z.string().nullish(),
  guild_id: z.string().nullish(),
});
export const user = z.object({ id: z.string(), username: z.string(), global_name: z.string().nullish(), bot: z.boolean().nullish() });
export const member = z.object({
  user: user.nullish(),
  nick: z.string().nullish(),
  roles: z.array(z.string()),
  joined_at: z.string().nullish(),
});
export const message = z.object({
  id: z.string(),
  channel_id: z.string(),
  content: z.string().nullish(),
  timestamp: z.string().nullish(),
  author: user.nullish(),
});

export const guilds = choices({
  request: { path: '/users/@me/guilds' },
  reads: z.array(z.object({ id: z.string(), name: z.string() })),
  options: (found) => found.map(({ id, name }) => ({ label: name, value: id })),
});
export const channels = choices({
  refreshers: ['guild_id'],
  request: { path: '/guilds/{guild_id}/channels' },
  reads: z.array(channel),
  options: (found) =>
    found.filter(({ type }) => type !== CHANNEL_TYPES.category).map(({ id, name }) => ({ label: name ? `#${name}` : id, value: id })),
});
export const members = choices({
  refreshers: ['guild_id'],
  request: { path: '/guilds/{guild_id}/members' },
  paging: memberPaging,
  reads: z.array(member),
  options: (found) =>
    found.flatMap(({ user, nick }) => (user ? [{ label: nick || user.global_name || user.username, value: user.id }] : [])),
});
export const roles = choices({
  refreshers: ['guild_id'],
  request: { path: '/guilds/{guild_id}/roles' },
  reads: z.array(z.object({ id: z.string(), name: z.string() })),
  options: (found) => found.map(({ id, name }) => ({ label: name, value: id })),
});

export const roleInput = z.object({ guild_id, user_id: id.describe('id of the member'), role_id: id.describe('id of the role') });
export const rolePath = '/guilds/{guild_id}/members/{user_id}/roles/{role_id}';
export const ofRole = { guild_id: guilds, user_id: members, role_id: roles };

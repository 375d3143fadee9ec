import { z } from 'zod';
import { choices } from '../provider.ts';
import type { Paging } from '../provider-paging.ts';

/** Slack answers 200 to nearly everything, and says in the body whether it did it. */
export const slackRefusal = z
  .object({ ok: z.literal(false), error: z.string(), needed: z.string().optional(), errors: z.array(z.string()).optional() })
  .transform(({ error, needed, errors = [] }) => ({
    message: [EXPLAINED[error], needed && `the token lacks the scope ${needed}`, ...errors].filter(Boolean).join('; '),
    code: error,
    unauthorized: CREDENTIAL_ERRORS.has(error),
  }));

const CREDENTIAL_ERRORS = new Set(['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired']);
const EXPLAINED: Partial<Record<string, string>> = {
  channel_not_found: 'there is no such channel, or the app cannot see it',
  not_in_channel: 'the app is not a member of the channel; invite it first',
  is_archived: 'the channel is archived',
  users_not_found: 'nobody in this workspace has this e-mail address',
  missing_scope: 'the app was not granted what this needs',
};

export const paging: Paging = { cursor: 'cursor', size: { name: 'limit', default: 100, max: 999 }, next: 'response_metadata.next_cursor' };

export const channel = z.string().min(1).max(200).describe('channel id such as C024BE91L');
export const messageTs = z.string().min(1).max(40).describe('timestamp of the message, such as 1503435956.000247');
export const text = z.string().min(1).max(40_000).describe('text in mrkdwn; what notifications show where blocks are given');
export const blocks = z.array(z.record(z.string(), z.unknown())).max(50).optional().describe('Block Kit blocks');
export const sent = z.object({ channel: z.string().describe('channel id'), ts: z.string().describe('names the message in its channel') });

export const channelInfo = z.object({
  id: z.string(),
  name: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_archived: z.boolean().nullish(),
  is_member: z.boolean().nullish(),
  num_members: z.number().nullish(),
  topic: z.string().nullish(),
  purpose: z.string().nullish(),
});
const someText = z.object({ value: z.string() }).nullish();
export const channelList = z.object({ channels: z.array(channelInfo.extend({ topic: someText, purpose: someText })) });
export const user = z.object({
  id: z.string(),
  name: z.string().nullish(),
  real_name: z.string().nullish(),
  deleted: z.boolean().nullish(),
  is_bot: z.boolean().nullish(),
  tz: z.string().nullish(),
  profile: z.object({ display_name: z.string().nullish(), email: z.string().nullish(), title: z.string().nullish() }).nullish(),
});

export const channelChoices = choices({
  request: { path: '/conversations.list', query: () => ({ exclude_archived: true, types: 'public_channel,private_channel' }) },
  paging,
  reads: channelList,
  options: ({ channels }) => channels.map(({ id, name }) => ({ label: name ? `#${name}` : id, value: id })),
});
export const userChoices = choices({
  request: { path: '/users.list' },
  paging,
  reads: z.object({ members: z.array(user) }),
  options: ({ members }) =>
    members
      .filter(({ deleted, is_bot }) => !deleted && !is_bot)
      .map(({ id, name, real_name }) => ({ label: real_name || name || id, value: id })),
});

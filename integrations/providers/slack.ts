import { z } from 'zod';
import { bearer, endpoint, provider } from '../provider.ts';
import {
  blocks,
  channel,
  channelChoices,
  channelInfo,
  channelList,
  messageTs,
  paging,
  sent,
  slackRefusal,
  text,
  user,
  userChoices,
} from './slack-shapes.ts';

export const slack = provider({
  name: 'slack',
  displayName: 'Slack',
  description: 'Send and read messages in a Slack workspace',
  logoUrl: null,
  categories: ['COMMUNICATION'],
  auth: [
    {
      key: 'oauth2',
      type: 'OAUTH2',
      displayName: 'Sign in with Slack',
      description: 'Installs the app into a Slack workspace; the bot acts',
      oauth2: {
        authorizationUrl: 'https://slack.com/oauth/v2/authorize',
        tokenUrl: 'https://slack.com/api/oauth.v2.access',
        scopes: [
          'chat:write',
          'chat:write.public',
          'channels:read',
          'channels:history',
          'groups:read',
          'groups:history',
          'im:write',
          'reactions:write',
          'users:read',
          'users:read.email',
        ],
      },
    },
    {
      key: 'bot-token',
      type: 'SECRET_TEXT',
      displayName: 'Bot token',
      description: 'The bot token (xoxb-…) of a Slack app, from its page OAuth & Permissions',
    },
  ],
  baseUrl: 'https://slack.com/api',
  authenticate: bearer,
  errors: slackRefusal,
  refusals: slackRefusal,
  actions: {
    send_channel_message: endpoint({
      displayName: 'Send message to channel',
      description: 'Post a message to a public or private channel',
      category: 'send',
      input: z.object({
        channel,
        text,
        blocks,
        thread_ts: messageTs.optional().describe('timestamp of the message to reply to in its thread'),
        username: z.string().max(80).optional().describe('name to show instead of that of the app'),
        icon_emoji: z.string().max(100).optional().describe('emoji to show as the picture, such as :robot_face:'),
        unfurl_links: z.boolean().optional().describe('whether linked pages are previewed'),
      }),
      output: sent,
      request: { method: 'POST', path: '/chat.postMessage', json: (input) => input },
      recipients: ({ channel }) => [channel],
      dynamic: { channel: channelChoices },
    }),

    send_direct_message: endpoint({
      displayName: 'Send direct message',
      description: 'Message one person as the app',
      category: 'send',
      input: z.object({ user_id: z.string().min(1).max(200).describe('user id such as W1234567890'), text, blocks }),
      output: sent,
      request: { method: 'POST', path: '/chat.postMessage', json: ({ user_id, ...message }) => ({ channel: user_id, ...message }) },
      recipients: ({ user_id }) => [user_id],
      dynamic: { user_id: userChoices },
    }),

    update_message: endpoint({
      displayName: 'Update message',
      description: 'Change a message that the app has sent',
      category: 'write',
      idempotent: true,
      input: z.object({ channel, ts: messageTs, text, blocks }),
      output: sent.extend({ text: z.string().nullish() }),
      request: { method: 'POST', path: '/chat.update', json: (input) => input },
      recipients: ({ channel }) => [channel],
      dynamic: { channel: channelChoices },
    }),

    add_reaction: endpoint({
      displayName: 'Add reaction',
      description: 'Add an emoji to a message',
      category: 'write',
      input: z.object({
        channel,
        timestamp: messageTs,
        name: z.string().min(1).max(100).describe('name of the emoji without colons, such as thumbsup'),
      }),
      output: z.object({ added: z.boolean() }),
      request: { method: 'POST', path: '/reactions.add', json: (input) => input },
      answer: () => ({ added: true }),
      recipients: ({ channel }) => [channel],
      dynamic: { channel: channelChoices },
    }),

    list_channels: endpoint({
      displayName: 'List channels',
      description: 'The channels that the app can see',
      category: 'read',
      input: z.object({
        types: z
          .array(z.enum(['public_channel', 'private_channel', 'mpim', 'im']))
          .min(1)
          .default(['public_channel']),
        exclude_archived: z.boolean().default(true),
      }),
      output: z.object({ channels: z.array(channelInfo) }),
      request: {
        path: '/conversations.list',
        query: ({ types, exclude_archived }) => ({ types: types.join(','), exclude_archived }),
      },
      reads: channelList,
      answer: ({ body }) => ({
        channels: body.channels.map((one) => ({ ...one, topic: one.topic?.value, purpose: one.purpose?.value })),
      }),
      paging,
    }),

    find_user_by_email: endpoint({
      displayName: 'Find user by e-mail',
      description: 'The person in the workspace who has this e-mail address',
      category: 'read',
      input: z.object({ email: z.email().max(320) }),
      output: z.object({ user }),
      request: { path: '/users.lookupByEmail', query: ({ email }) => ({ email }) },
    }),

    get_channel_history: endpoint({
      displayName: 'Get channel history',
      description: 'The messages of a channel, newest first',
      category: 'read',
      input: z.object({
        channel,
        oldest: messageTs.optional().describe('only messages after this timestamp'),
        latest: messageTs.optional().describe('only messages before this timestamp'),
      }),
      output: z.object({
        messages: z.array(
          z.object({
            ts: z.string(),
            text: z.string().nullish(),
            user: z.string().nullish(),
            bot_id: z.string().nullish(),
            thread_ts: z.string().nullish(),
            reply_count: z.number().nullish(),
          }),
        ),
      }),
      request: { path: '/conversations.history', query: ({ channel, oldest, latest }) => ({ channel, oldest, latest }) },
      paging,
      dynamic: { channel: channelChoices },
    }),
  },
});

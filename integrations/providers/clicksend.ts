import { z } from 'zod';
import { basic, endpoint, provider } from '../provider.ts';
import {
  clicksendError,
  clicksendRefusal,
  common,
  contact,
  contactList,
  contactLists,
  list,
  list_id,
  listPage,
  paging,
  phone,
  sent,
  sentBody,
  to,
  toEach,
} from './clicksend-shapes.ts';

export const clicksend = provider({
  name: 'clicksend',
  displayName: 'ClickSend',
  description: 'Send SMS and MMS, and keep contact lists',
  logoUrl: null,
  categories: ['COMMUNICATION', 'MARKETING'],
  auth: [
    {
      key: 'api-key',
      type: 'BASIC_AUTH',
      displayName: 'User name and API key',
      description: 'The user name of the account, and as password its API key from the dashboard, page API credentials',
    },
  ],
  baseUrl: 'https://rest.clicksend.com/v3',
  authenticate: basic,
  errors: clicksendError,
  refusals: clicksendRefusal,
  actions: {
    send_sms: endpoint({
      displayName: 'Send SMS',
      description: 'Send a text message to one or several phones',
      category: 'send',
      input: z.object({ to, body: z.string().min(1).max(1224).describe('text; from 161 characters on it is sent in parts'), ...common }),
      output: sent,
      request: { method: 'POST', path: '/sms/send', json: (input) => ({ messages: toEach(input) }) },
      reads: sentBody,
      answer: ({ body }) => body.data,
      recipients: ({ to }) => [to].flat(),
    }),

    send_mms: endpoint({
      displayName: 'Send MMS',
      description: 'Send a message with a picture to one or several phones',
      category: 'send',
      input: z.object({
        to,
        subject: z.string().min(1).max(20),
        body: z.string().min(1).max(1500),
        media_file: z
          .url({ protocol: /^https?$/ })
          .max(2000)
          .describe('address of the picture, at most 250 kB'),
        ...common,
      }),
      output: sent,
      request: {
        method: 'POST',
        path: '/mms/send',
        json: ({ media_file, ...input }) => ({ media_file, messages: toEach(input) }),
      },
      reads: sentBody,
      answer: ({ body }) => body.data,
      recipients: ({ to }) => [to].flat(),
    }),

    list_contact_lists: endpoint({
      displayName: 'List contact lists',
      description: 'The contact lists of the account',
      category: 'read',
      input: z.object({}),
      output: z.object({ lists: z.array(contactList) }),
      request: { path: '/lists' },
      reads: listPage,
      answer: ({ body }) => ({ lists: body.data.data.map(({ _contacts_count, ...one }) => ({ ...one, contacts_count: _contacts_count })) }),
      paging,
    }),

    create_contact_list: endpoint({
      displayName: 'Create contact list',
      description: 'Make an empty contact list',
      category: 'write',
      input: z.object({ list_name: z.string().min(1).max(250) }),
      output: contactList.pick({ list_id: true, list_name: true }),
      request: { method: 'POST', path: '/lists', json: (input) => input },
      reads: z.object({ data: list }),
      answer: ({ body }) => body.data,
    }),

    create_contact: endpoint({
      displayName: 'Create contact',
      description: 'Add somebody to a contact list',
      category: 'write',
      input: z.object({
        list_id,
        phone_number: phone,
        first_name: z.string().max(100).optional(),
        last_name: z.string().max(100).optional(),
        email: z.email().max(320).optional(),
        organization_name: z.string().max(250).optional(),
        custom_1: z.string().max(250).optional().describe('free for own use'),
      }),
      output: contact,
      request: { method: 'POST', path: '/lists/{list_id}/contacts', json: ({ list_id, ...contact }) => contact },
      reads: z.object({ data: contact }),
      answer: ({ body }) => body.data,
      recipients: () => [],
      dynamic: { list_id: contactLists },
    }),

    list_contacts: endpoint({
      displayName: 'List contacts',
      description: 'The contacts of a list',
      category: 'read',
      input: z.object({ list_id }),
      output: z.object({ contacts: z.array(contact) }),
      request: { path: '/lists/{list_id}/contacts' },
      reads: z.object({ data: z.object({ data: z.array(contact) }) }),
      answer: ({ body }) => ({ contacts: body.data.data }),
      paging,
      dynamic: { list_id: contactLists },
    }),

    get_account: endpoint({
      displayName: 'Get account',
      description: 'The account and the money left in it',
      category: 'read',
      input: z.object({}),
      output: z.object({
        user_id: z.number(),
        username: z.string(),
        balance: z.union([z.string(), z.number()]),
        country: z.string().nullish(),
        currency: z.string().nullish(),
      }),
      request: { path: '/account' },
      reads: z.object({
        data: z.object({
          user_id: z.number(),
          username: z.string(),
          balance: z.union([z.string(), z.number()]),
          country: z.string().nullish(),
          _currency: z.object({ currency_name_short: z.string().nullish() }).nullish(),
        }),
      }),
      answer: ({ body: { data } }) => ({ ...data, currency: data._currency?.currency_name_short }),
    }),
  },
});

import { z } from 'zod';
import { choices } from '../provider.ts';
import type { Answer } from '../provider-call.ts';
import type { Paging } from '../provider-paging.ts';

export const clicksendError = z
  .object({ response_msg: z.string().nullish(), response_code: z.string().nullish() })
  .transform(({ response_msg, response_code }) => ({ message: response_msg, code: response_code }));

/** A request whose every message was refused is a success by its status. */
export const clicksendRefusal = z
  .object({ data: z.object({ messages: z.array(z.object({ status: z.string() })).min(1) }) })
  .refine(({ data }) => data.messages.every(({ status }) => status !== 'SUCCESS'))
  .transform(({ data }) => ({ message: 'no message was sent', code: [...new Set(data.messages.map(({ status }) => status))].join(', ') }));

const page = z.object({ data: z.object({ current_page: z.number(), last_page: z.number() }) });
export const paging: Paging = {
  cursor: 'page',
  size: { name: 'limit', default: 15, max: 100 },
  next({ body }: Answer) {
    const { data } = page.safeParse(body).data ?? {};
    return data && data.current_page < data.last_page ? data.current_page + 1 : undefined;
  },
};

export const phone = z.string().min(3).max(30).describe('phone number with its country code, such as +15551234567');
export const common = {
  from: z.string().max(30).optional().describe('sender: a number or a name of up to 11 letters that the account may use'),
  schedule: z.int().min(0).optional().describe('Unix time to send at; default: now'),
  custom_string: z.string().max(250).optional().describe('your own reference'),
};
export const to = z.union([phone, z.array(phone).min(1).max(100)]).describe('phone number or a list of them, with country codes');

const messages = z.array(
  z.object({
    message_id: z.string().nullish(),
    to: z.string().nullish(),
    status: z.string().describe('SUCCESS, or why it was not sent'),
    message_parts: z.number().nullish(),
    message_price: z.union([z.string(), z.number()]).nullish(),
  }),
);
export const sent = z.object({ messages });
export const sentBody = z.object({ data: sent });

export function toEach<Message extends { to: string | string[] }>({ to, ...message }: Message) {
  return [to].flat().map((one) => ({ source: 'api', ...message, to: one }));
}

export const list_id = z.int().min(1).describe('id of the contact list');
export const list = z.object({ list_id: z.number(), list_name: z.string(), _contacts_count: z.number().nullish() });
export const contactList = z.object({ list_id: z.number(), list_name: z.string(), contacts_count: z.number().nullish() });
export const listPage = z.object({ data: z.object({ data: z.array(list) }) });
export const contact = z.object({
  contact_id: z.number(),
  list_id: z.number().nullish(),
  phone_number: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  email: z.string().nullish(),
  organization_name: z.string().nullish(),
});

export const contactLists = choices({
  request: { path: '/lists' },
  paging,
  reads: listPage,
  options: ({ data }) => data.data.map(({ list_id, list_name }) => ({ label: list_name, value: list_id })),
});

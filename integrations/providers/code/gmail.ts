import type { ActionCode } from '../../declarative/to-action.ts';
import { isObject } from '../../schema/evaluation.ts';
import { type Draft, headerOf, rawMessage, readableMessage } from './gmail-message.ts';

type Input = Readonly<Record<string, unknown>>;

/** Sends a new message. */
export const sendEmail: ActionCode = {
  async run({ input, now }, send) {
    const raw = await rawMessage(draftOf(input), now());
    return (await send({ method: 'POST', path: '/users/me/messages/send', json: true }, { raw })).body;
  },
};

/** Saves a message without sending it. */
export const createDraft: ActionCode = {
  async run({ input, now }, send) {
    const message = { raw: await rawMessage(draftOf(input), now()), threadId: input.threadId };
    return (await send({ method: 'POST', path: '/users/me/drafts', json: { message: '{input.message}' } }, { message })).body;
  },
};

/** Replies in the thread of a message. */
export const replyToEmail: ActionCode = {
  async run({ input, now }, send) {
    const query = { format: 'metadata', metadataHeaders: ['Message-ID', 'References', 'Subject'] };
    const { body } = await send({ path: '/users/me/messages/{id}', query }, { id: input.id });
    const { threadId, payload } = body as { threadId: string; payload: unknown };
    const subject = headerOf(payload, 'Subject') ?? '';
    const id = headerOf(payload, 'Message-ID');
    const references = [headerOf(payload, 'References'), id].filter((value) => value !== undefined).join(' ');
    const answered = { ...draftOf(input), subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`, references };
    const raw = await rawMessage({ ...answered, ...(id && { inReplyTo: id }) }, now());
    return (await send({ method: 'POST', path: '/users/me/messages/send', json: true }, { raw, threadId })).body;
  },
};

/** A readable message. */
export const getMessage: ActionCode = { answer: ({ body }) => readableMessage(body) };

/** A thread of readable messages. */
export const getThread: ActionCode = {
  answer({ body }) {
    const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
    return { ...(body as object), messages: messages.map(readableMessage) };
  },
};

/** An attachment in base64. Gmail sends base64url. */
export const getAttachment: ActionCode = {
  answer({ body }) {
    const { data, size } = body as { data: string; size: number };
    return { base64: Buffer.from(data, 'base64url').toString('base64'), size };
  },
};

function draftOf({ id: _, threadId: __, reply_to: replyTo, ...draft }: Input): Draft {
  return { ...draft, ...(replyTo !== undefined && { replyTo }) } as Draft;
}

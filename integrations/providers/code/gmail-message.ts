import { randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { fromBase64 } from '../../declarative/file-input.ts';
import { isObject } from '../../schema/evaluation.ts';

/** The content of a message. */
export interface Draft {
  to?: readonly string[];
  cc?: readonly string[];
  bcc?: readonly string[];
  replyTo?: string;
  subject?: string;
  text?: string;
  html?: string;
  attachments?: readonly { filename: string; base64: string; contentType?: string }[];
  inReplyTo?: string;
  references?: string;
}

/** The message as RFC 5322 text in base64url. Gmail adds the sender. */
export async function rawMessage({ attachments = [], ...draft }: Draft, date: Date): Promise<string> {
  const files = attachments.map(({ filename, base64, contentType }) => ({
    filename,
    content: fromBase64(base64),
    ...(contentType && { contentType }),
  }));
  // A random id, because the composer's own id would contain the host name of this machine.
  const messageId = `<${randomUUID()}@mail.gmail.com>`;
  const whole = { text: '', ...draft, attachments: files, messageId, date, disableFileAccess: true, disableUrlAccess: true };
  const message = new MailComposer(whole as ConstructorParameters<typeof MailComposer>[0]).compile();
  // Gmail delivers to the addresses in this header, then removes the header.
  message.keepBcc = true;
  return (await message.build()).toString('base64url');
}

/** A message of the Gmail API, with its headers and texts as plain fields. */
export function readableMessage(message: unknown): Record<string, unknown> {
  const { payload, ...rest } = message as Record<string, unknown>;
  const parts = partsOf(payload);
  const texts = Object.entries({ text: 'text/plain', html: 'text/html' }).flatMap(([name, mimeType]) => {
    const found = parts.find((part) => part.mimeType === mimeType && !part.filename && part.body?.data !== undefined);
    return found ? [[name, Buffer.from(found.body!.data!, 'base64url').toString()]] : [];
  });
  const named = ['From', 'To', 'Cc', 'Subject', 'Date', 'Reply-To', 'Message-ID'].flatMap((name) => {
    const value = headerOf(payload, name);
    return value === undefined ? [] : [[name === 'Message-ID' ? 'message_id' : name.toLowerCase().replace('-', '_'), value]];
  });
  const attachments = parts
    .filter(({ filename }) => filename)
    .map(({ filename, mimeType, body: file }) => ({ filename, mimeType, ...file }));
  return { ...rest, ...Object.fromEntries([...named, ...texts]), attachments };
}

/** The value of a header in a part of a message. */
export function headerOf(part: unknown, name: string): string | undefined {
  const headers = isObject(part) && Array.isArray(part.headers) ? part.headers : [];
  return headers.find((header) => String(header.name).toLowerCase() === name.toLowerCase())?.value;
}

interface Part {
  mimeType?: string;
  filename?: string;
  body?: { data?: string; attachmentId?: string; size?: number };
  parts?: unknown[];
}

function partsOf(part: unknown): Part[] {
  if (!isObject(part)) return [];
  const inner = Array.isArray(part.parts) ? part.parts : [];
  return [part as Part, ...inner.flatMap(partsOf)];
}

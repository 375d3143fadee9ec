import { hiderOf } from '../domain/hide-secrets.ts';
import type { Config } from './config.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Why a mail was not sent, without the credentials of the mail server. What the server says may repeat the receiver or the mail. */
export class MailError extends Error {
  readonly code: string | undefined;
  /** The status that the mail server answered. */
  readonly responseCode: number | undefined;

  constructor(reason: string, { code, responseCode }: { code?: string; responseCode?: number }) {
    super(reason);
    this.code = code;
    this.responseCode = responseCode;
  }
}

/** Sends mail through the server that the operator configured. */
export interface Mailer {
  /** Resolves when the server accepted the mail for its receiver; rejects with a MailError when it refused it or is away. */
  send(mail: Mail): Promise<void>;
}

/** A mailer for these settings; undefined when e-mail is not configured. Connects in the first use, and anew for every mail. */
export function openMailer(settings: Config['mail']): Mailer | undefined {
  if (!settings) return undefined;
  return {
    send: async ({ to, ...mail }) => {
      try {
        const { createTransport } = await import('nodemailer');
        const transport = createTransport({ url: settings.smtpUrl, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });
        await transport.sendMail({ ...mail, from: settings.from, to: { name: '', address: to } });
      } catch (error) {
        throw new MailError(hiderOf(credentialsIn(settings.smtpUrl))((error as Error).message), error as object);
      }
    },
  };
}

/** As they stand in the URL, and as they are sent to log in. */
function credentialsIn(smtpUrl: string): string[] {
  if (!URL.canParse(smtpUrl)) return [smtpUrl];
  const { username, password } = new URL(smtpUrl);
  const [user, secret] = [decode(username), decode(password)];
  return [smtpUrl, user, secret, ...[user, secret, `\0${user}\0${secret}`].map((text) => Buffer.from(text).toString('base64'))];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Milliseconds. A caller waits for the answer of the mail server. */
const TIMEOUTS = { dnsTimeout: 5000, connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 } as const;

import { hiderOf } from '../domain/redaction/hide-secrets.ts';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The error text contains no credentials of the mail server, but may contain parts of the mail. */
class MailError extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;

  constructor(reason: string, { code, responseCode }: { code?: string; responseCode?: number }) {
    super(reason);
    this.code = code;
    this.responseCode = responseCode;
  }
}

/** Sends mail through the operator's server. */
export interface Mailer {
  /** Resolves when the mail server has accepted the mail. Rejects with a MailError. */
  send(mail: Mail): Promise<void>;
}

/** Returns a mailer, or undefined if e-mail is not configured. */
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

/** An error may quote user name and password as text or in base64. */
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

/** In milliseconds. Short, because a caller waits for the mail server. */
const TIMEOUTS = { dnsTimeout: 5000, connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 } as const;

const REASON_MAX_LENGTH = 500;

/** The log entry of a failure to send. */
export interface MailFailure {
  event: string;
  /**
   * Texts to hide in the log entry, because the mail server's answer may repeat the recipient's
   * address or a code in the mail.
   */
  secrets: string[];
  fields?: Record<string, unknown>;
}

/** Sends a mail. If that fails, logs the failure and returns false. */
export async function trySendMail(mailer: Mailer, logger: Logger, mail: Mail, { event, secrets, fields }: MailFailure): Promise<boolean> {
  try {
    await mailer.send(mail);
    return true;
  } catch (error) {
    const { message, code, responseCode } = error as MailError;
    logger.warn({ ...fields, code, responseCode, reason: hiderOf(secrets)(message, REASON_MAX_LENGTH) }, event);
    return false;
  }
}

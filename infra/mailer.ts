import type { Config } from './config.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail through the server that the operator configured. */
export interface Mailer {
  /** Resolves when the server accepted the mail for its receiver; rejects when it refused it or is away. */
  send(mail: Mail): Promise<void>;
}

/** A mailer for these settings; undefined when e-mail is not configured. Connects in the first use, and anew for every mail. */
export function openMailer(settings: Config['mail']): Mailer | undefined {
  if (!settings) return undefined;
  return {
    send: async ({ to, ...mail }) => {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({ url: settings.smtpUrl, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });
      await transport.sendMail({ ...mail, from: settings.from, to: { name: '', address: to } });
    },
  };
}

/** Milliseconds. A caller waits for the answer of the mail server. */
const TIMEOUTS = { dnsTimeout: 5000, connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 } as const;

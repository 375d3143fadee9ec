import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server. It refuses every login, and mail to the recipient `refuses`. */
export interface Mailbox {
  /** The address, for the setting SMTP_URL. */
  url: string;
  /** Every received mail in its raw form. */
  mails: { from: string; to: string[]; raw: string }[];
  close(): Promise<void>;
}

export async function openMailbox({ refuses }: { refuses?: string } = {}): Promise<Mailbox> {
  const mails: Mailbox['mails'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => done(new Error(`nobody is ${username} with ${password}`)),
    onRcptTo: ({ address }, _session, done) => {
      const refusal = Object.assign(new Error(`no such mailbox: ${address}`), { responseCode: 550 });
      done(address === refuses ? refusal : null);
    },
    onData: (stream, { envelope }, done) => {
      text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `smtp://127.0.0.1:${port}`, mails, close };
}

/** The decoded parts of a mail. */
export function readMail(raw: string): { subject: string; text: string; html: string } {
  const partOf = (type: string) => {
    const [, encoding = '', body = ''] =
      new RegExp(`Content-Type: ${type}[^]*?Content-Transfer-Encoding: (\\S+)\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(raw) ?? [];
    return decode(encoding, body).replaceAll('\r\n', '\n');
  };
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1] ?? '';
  return { subject: subject.replace(/\r\n[ \t]/g, ' '), text: partOf('text/plain'), html: partOf('text/html') };
}

function decode(encoding: string, body: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

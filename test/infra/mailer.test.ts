import { openMailer } from '../../infra/mailer.ts';
import { type Mailbox, openMailbox, readMail } from '../support/mailbox.ts';

const FROM = 'Gateway <gateway@example.com>';
const mail = { to: 'ada@example.com', subject: 'Héllo', text: 'Plain ✓ text\n', html: '<p>Rich ✓ text</p>' };

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox({ refuses: 'nobody@example.com' });
});
afterAll(() => mailbox?.close());

test('a mail arrives at its recipient, from the configured sender, as text and as HTML', async () => {
  await openMailer({ smtpUrl: mailbox.url, from: FROM })!.send(mail);
  const [{ from, to, raw }] = mailbox.mails as [Mailbox['mails'][number]];
  expect([from, to]).toEqual(['gateway@example.com', ['ada@example.com']]);
  expect(raw).toMatch(/^From: Gateway <gateway@example.com>\r$/m);
  expect(raw).toMatch(/^To: ada@example.com\r$/m);
  const read = readMail(raw);
  expect([read.text.trim(), read.html.trim()]).toEqual(['Plain ✓ text', '<p>Rich ✓ text</p>']);
});

test('sending rejects if the mail server refuses the recipient', async () => {
  const mailer = openMailer({ smtpUrl: mailbox.url, from: FROM })!;
  await expect(mailer.send({ ...mail, to: 'nobody@example.com' })).rejects.toMatchObject({ responseCode: 550 });
});

test('sending rejects if the mail server is unreachable or its address is invalid', async () => {
  const gone = await openMailbox();
  await gone.close();
  for (const smtpUrl of [gone.url, 'smtp://', 'nonsense']) {
    await expect(openMailer({ smtpUrl, from: FROM })!.send(mail)).rejects.toThrow();
  }
});

test('the error of a failed mail hides the credentials of the mail server', async () => {
  const smtpUrl = mailbox.url.replace('//', '//gateway:p%40ssword@');
  const error = await openMailer({ smtpUrl, from: FROM })!
    .send(mail)
    .catch((failure) => failure);
  expect(error.message).toMatch(/^Invalid login: 535 nobody is .+ with .+$/);
  expect(error).toMatchObject({ code: 'EAUTH', responseCode: 535 });
  expect(error.message).not.toMatch(/gateway|p@ssword|p%40ssword/);
});

test('an address that contains a comma is at most one recipient', async () => {
  const before = mailbox.mails.length;
  const mailer = openMailer({ smtpUrl: mailbox.url, from: FROM })!;
  await mailer.send({ ...mail, to: 'a@example.com, b@example.com' }).catch(() => {});
  expect(mailbox.mails.slice(before).flatMap(({ to }) => to).length).toBeLessThanOrEqual(1);
});

test('without settings there is no mailer', () => {
  expect(openMailer(undefined)).toBeUndefined();
});

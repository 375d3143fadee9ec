import { type Mailbox, openMailbox } from '../../../../support/mailbox.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppClient, aMember, appClient } from '../app-bed.ts';

let bed: ApiBed;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
  bed = await openApiBed({ SMTP_URL: mailbox.url, MAIL_FROM: 'Gateway <gateway@example.com>' });
});
afterAll(async () => {
  await bed.close();
  await mailbox.close();
});

async function askForCode(client: AppClient, email: string): Promise<string> {
  const answer = await client.post('/sign-in/code/send', { email, next: '/app/account' });
  expect([answer.status, answer.location]).toEqual([303, '/app/sign-in/code?next=%2Fapp%2Faccount']);
  const mail = mailbox.mails.findLast(({ to }) => to[0] === email)!;
  return /\d{6,8}/.exec(mail.raw.slice(mail.raw.indexOf('Your sign-in code:')))![0];
}

test('a mailed code signs in once, in the browser that requested the code', async () => {
  const { email, id } = await aMember(bed, 'viewer');
  const [client, other] = [appClient(bed), appClient(bed)];
  expect((await client.get('/sign-in')).html).toContain('formaction="/app/sign-in/code/send">E-mail me a code<');
  const code = await askForCode(client, email);
  expect((await other.post('/sign-in/code', { code })).text).toContain('The code no longer works. Ask for a new code.');
  const wrong = await client.post('/sign-in/code', { code: '0', next: '/app/account' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('That is not the code. Tries left: 4.')]);
  expect((await client.post('/sign-in/code', { code, next: '/app/account' })).location).toBe('/app/account');
  expect((await client.get('/account')).text).toContain('E-mailed code');
  expect((await client.post('/sign-in/code', { code })).status).toBe(400);
  const [{ details }] = await bed.gateway.db('activity').where({ actor_id: id, type: 'member.signed_in' }).orderBy('id', 'desc');
  expect(details.method).toBe('code');
});

test('only the right code reveals that an address belongs to no member; five wrong codes end the attempt', async () => {
  const client = appClient(bed);
  const code = await askForCode(client, 'stranger@example.com');
  const stranger = await client.post('/sign-in/code', { code });
  expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('This e-mail address belongs to no member.')]);
  expect((await client.get('')).status).toBe(303);

  const { email } = await aMember(bed, 'viewer');
  const right = await askForCode(client, email);
  for (let tries = 4; tries > 0; tries--)
    expect((await client.post('/sign-in/code', { code: 'x' })).text).toContain(`Tries left: ${tries}.`);
  expect((await client.post('/sign-in/code', { code: 'x' })).text).toContain('The code no longer works.');
  expect((await client.post('/sign-in/code', { code: right })).text).toContain('The code no longer works.');
  const failures = await bed.gateway.db('activity').where({ type: 'member.sign_in_failed' }).select('details');
  expect(failures.filter(({ details }) => details.email === email).map(({ details }) => details.method)).toEqual(Array(5).fill('code'));
});

test('an invalid address is refused and stays in the form', async () => {
  const answer = await appClient(bed).post('/sign-in/code/send', { email: 'nobody' });
  expect([answer.status, answer.html]).toEqual([400, expect.stringContaining('value="nobody"')]);
});

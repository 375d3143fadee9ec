import { readMail } from '../../support/mailbox.ts';
import { type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
}, 120_000);
afterAll(() => bed?.close());

async function anAsker(email: string) {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email });
  const { raw } = bed.mailbox.mails.findLast(({ to }) => to.includes(email))!;
  return { browser, code: /\d{6,8}/.exec(readMail(raw).text)![0], mail: readMail(raw) };
}

const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

test('the mail contains the code as text and as HTML, and says how long the code is valid', async () => {
  const { mail, code } = await anAsker('mail@example.com');
  expect(mail.text).toContain(code);
  expect(mail.html).toContain(code);
  expect(mail.text).toContain('10 minutes');
});

test('a code can sign in only the browser that requested the code', async () => {
  const [{ code }, { browser: other }] = [await anAsker('one@example.com'), await anAsker('two@example.com')];
  await other.submit({ code });
  expect(other.path).toBe('/sign-in/code');
  expect(other.html).toContain('That is not the code');
});

test('after five wrong guesses a code is invalid, so even the right code fails', async () => {
  const { browser, code } = await anAsker('guess@example.com');
  for (let guess = 0; guess < 4; guess += 1) {
    await browser.submit({ code: wrong(code) });
    expect(browser.html).toContain(`Guesses left: ${4 - guess}.`);
  }
  await browser.submit({ code: wrong(code) });
  expect(browser.html).toContain('Ask for a new code');
  await browser.post('/sign-in/code', { code });
  expect(browser.html).toContain('Ask for a new code');
  await browser.open(`${bed.apiUrl}/account`);
  expect(browser.path).toBe('/sign-in');
});

test('the page of an expired code accepts an address for a new code', async () => {
  const { browser, code } = await anAsker('again@example.com');
  await bed.gateway.db('sign_in_codes').where({ email: 'again@example.com' }).update({ expires_at: bed.gateway.db.fn.now() });
  await browser.submit({ code });
  await signIn(bed, browser, 'again@example.com');
  expect(browser.path).toBe('/account');
});

test('a code is invalid after its expiry', async () => {
  const { browser, code } = await anAsker('once@example.com');
  await bed.gateway.db('sign_in_codes').where({ email: 'once@example.com' }).update({ expires_at: bed.gateway.db.fn.now() });
  await browser.submit({ code });
  expect(browser.html).toContain('Ask for a new code');
});

test('an e-mail address gets at most twenty codes an hour; other addresses are unaffected', async () => {
  for (let sent = 0; sent < 20; sent += 1) await anAsker('many@example.com');
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email: ' MANY@example.com ' });
  expect(browser.status).toBe(429);
  await anAsker('other@example.com');
});

test('a source address can request at most a thousand mails an hour (contract decisions 8)', async () => {
  const { db } = bed.gateway;
  await anAsker('first@example.com');
  const [{ source }] = await db('sign_in_codes').select('source').where({ email: 'first@example.com' });
  const total = Number((await db('sign_in_codes').where({ source }).count())[0]!.count);
  const filler = (index: number) => ({ ...{ browser_hash: Buffer.from(`filler ${index}`), email: `filler-${index}@example.com` }, source });
  const rest = { code_hash: Buffer.from('x'), guesses_left: 0, expires_at: db.fn.now() };
  const fillers = Array.from({ length: 999 - total }, (_, index) => ({ ...filler(index), ...rest }));
  await db.batchInsert('sign_in_codes', fillers);
  await anAsker('thousandth@example.com');
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email: 'one-more@example.com' });
  expect([browser.status, browser.html]).toEqual([429, expect.stringContaining('Too many codes')]);
  await db('sign_in_codes').where('email', 'like', 'filler-%').delete();
  await anAsker('one-more@example.com');
});

test('the page refuses an invalid e-mail address', async () => {
  const browser = aBrowser();
  for (const email of ['', 'x', 'a@b', 'a b@example.com', `${'x'.repeat(300)}@example.com`, 'a@example.com\r\nBcc: b@example.com']) {
    await browser.open(`${bed.apiUrl}/sign-in`);
    await browser.submit({ email });
    expect([email, browser.status]).toEqual([email, 400]);
  }
});

test.each([
  '//evil.example',
  'https://evil.example/',
  '/\\evil.example',
  '/account/../../evil',
  'javascript:alert(1)',
  '/api/v1/workspaces',
])('after a sign-in, the browser is redirected to a page of the service instead of %s', async (next) => {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in?${new URLSearchParams({ next })}`);
  await signIn(bed, browser, 'next@example.com');
  expect(browser.url).toBe(`${bed.apiUrl}/account`);
});

test('a second sign-in starts a second session', async () => {
  const { browser, code } = await anAsker('fix@example.com');
  await browser.submit({ code });
  const sessions = await bed.gateway.db('sign_in_sessions').count({ total: '*' }).first();
  const { browser: again, code: second } = await anAsker('fix@example.com');
  await again.submit({ code: second });
  expect(Number((await bed.gateway.db('sign_in_sessions').count({ total: '*' }).first())!.total)).toBe(Number(sessions!.total) + 1);
});

test('a form from another site sends no mail', async () => {
  const before = bed.mailbox.mails.length;
  const answer = await fetch(`${bed.apiUrl}/sign-in`, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'cross-site' },
    body: new URLSearchParams({ email: 'x@example.com' }),
  });
  expect([answer.status, bed.mailbox.mails.length]).toEqual([403, before]);
});

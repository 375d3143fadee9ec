import { readMail } from '../../support/mailbox.ts';
import { type OAuthBed, openOAuthBed, signIn } from './oauth-bed.ts';
import { aBrowser } from './plain-browser.ts';

let bed: OAuthBed;
beforeAll(async () => {
  bed = await openOAuthBed();
}, 120_000);
afterAll(() => bed?.close());

/** A browser that requested a code, and the mailed code. */
async function anAsker(email: string) {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email });
  const { raw } = bed.mailbox.mails.findLast(({ to }) => to.includes(email))!;
  return { browser, code: /\d{6,8}/.exec(readMail(raw).text)![0], mail: readMail(raw) };
}

const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

test('the mail has the code in text and in HTML, and how long it works', async () => {
  const { mail, code } = await anAsker('mail@example.com');
  expect(mail.text).toContain(code);
  expect(mail.html).toContain(code);
  expect(mail.text).toContain('10 minutes');
});

test('a code signs in only the browser that requested it', async () => {
  const [{ code }, { browser: other }] = [await anAsker('one@example.com'), await anAsker('two@example.com')];
  await other.submit({ code });
  expect(other.path).toBe('/sign-in/code');
  expect(other.html).toContain('That is not the code');
});

test('five wrong guesses end a code, so the right one fails too', async () => {
  const { browser, code } = await anAsker('guess@example.com');
  for (let guess = 0; guess < 4; guess += 1) {
    await browser.submit({ code: wrong(code) });
    expect(browser.html).toContain(`Guesses left: ${4 - guess}.`);
  }
  await browser.submit({ code: wrong(code) });
  expect(browser.html).toContain('Ask for a new one');
  await browser.post('/sign-in/code', { code });
  expect(browser.html).toContain('Ask for a new one');
  await browser.open(`${bed.apiUrl}/account`);
  expect(browser.path).toBe('/sign-in');
});

test('the page of an expired code takes an address for the next one', async () => {
  const { browser, code } = await anAsker('again@example.com');
  await bed.gateway.db('sign_in_codes').where({ email: 'again@example.com' }).update({ expires_at: bed.gateway.db.fn.now() });
  await browser.submit({ code });
  await signIn(bed, browser, 'again@example.com');
  expect(browser.path).toBe('/account');
});

test('a code works once, and not after its expiry', async () => {
  const { browser, code } = await anAsker('once@example.com');
  await bed.gateway.db('sign_in_codes').where({ email: 'once@example.com' }).update({ expires_at: bed.gateway.db.fn.now() });
  await browser.submit({ code });
  expect(browser.html).toContain('Ask for a new one');
});

test('an address gets at most twenty codes an hour; other addresses are not affected', async () => {
  for (let sent = 0; sent < 20; sent += 1) await anAsker('many@example.com');
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in`);
  await browser.submit({ email: ' MANY@example.com ' });
  expect(browser.status).toBe(429);
  await anAsker('other@example.com');
});

test('a source address requests at most a thousand mails an hour, for any addresses (contract decisions 8)', async () => {
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

test('an invalid address is refused on the page', async () => {
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
])('a sign-in redirects to a page of the service, not to %s', async (next) => {
  const browser = aBrowser();
  await browser.open(`${bed.apiUrl}/sign-in?${new URLSearchParams({ next })}`);
  await signIn(bed, browser, 'next@example.com');
  expect(browser.url).toBe(`${bed.apiUrl}/account`);
});

test('a session from before the sign-in is not reused', async () => {
  const { browser, code } = await anAsker('fix@example.com');
  await browser.submit({ code });
  const sessions = await bed.gateway.db('sign_in_sessions').count({ total: '*' }).first();
  const { browser: again, code: second } = await anAsker('fix@example.com');
  await again.submit({ code: second });
  expect(Number((await bed.gateway.db('sign_in_sessions').count({ total: '*' }).first())!.total)).toBe(Number(sessions!.total) + 1);
});

test('a form from another site mails nothing', async () => {
  const before = bed.mailbox.mails.length;
  const answer = await fetch(`${bed.apiUrl}/sign-in`, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'cross-site' },
    body: new URLSearchParams({ email: 'x@example.com' }),
  });
  expect([answer.status, bed.mailbox.mails.length]).toEqual([403, before]);
});

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';

/** The security policy and the size limit from the design. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const FIRST_VISIT_BYTES = 150_000;

let bed: ApiBed;
let member: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  member = await aMember(bed, 'owner');
});
afterAll(() => bed.close());

async function ask(path: string, encodings?: string) {
  const headers = { cookie: member.cookie, accept: 'text/html', ...(encodings && { 'accept-encoding': encodings }) };
  const [answer] = (await once(request(`${bed.apiUrl}${path}`, { headers }).end(), 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const assetsOf = (html: string) => [...html.matchAll(/"(\/app\/assets\/[^"]+)"/g)].map(([, path]) => path!);

test('assets are sent as brotli, under names that change with their content', async () => {
  const files = assetsOf((await member.get('')).html);
  expect(files.map((file) => file.replace(/\.[0-9a-f]{12}\./, '.'))).toEqual([
    ...['/app/assets/favicon.svg', '/app/assets/app.css', '/app/assets/app.js'],
  ]);
  for (const file of files) {
    const [plain, sent] = [await ask(file), await ask(file, 'gzip, deflate, br')];
    expect([plain.headers['content-encoding'], sent.headers['content-encoding']]).toEqual([undefined, 'br']);
    expect(sent.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(brotliDecompressSync(sent.body).equals(plain.body)).toBe(true);
    expect((await ask(file.replace(/\.[0-9a-f]{12}\./, '.000000000000.'))).status).toBe(404);
  }
});

test('a first visit transfers fewer bytes than the design allows', async () => {
  const page = await ask('/app', 'gzip, deflate, br');
  const files = await Promise.all(assetsOf(brotliDecompressSync(page.body).toString()).map((file) => ask(file, 'br')));
  expect([page, ...files].reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(FIRST_VISIT_BYTES);
});

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
] as const)('a page is compressed for clients that accept %s', async (accepted, encoding, decode) => {
  const { headers, body } = await ask('/app/settings/members', accepted);
  expect([headers['content-encoding'], headers.vary]).toEqual([encoding, expect.stringContaining('Accept-Encoding')]);
  expect(decode(body).toString()).toContain('<h1>Settings</h1>');
});

test('a page that shows a new secret is not compressed', async () => {
  const body = new URLSearchParams({ email: 'bob@example.com', role: 'viewer' });
  const headers = { Cookie: member.cookie, 'Sec-Fetch-Site': 'same-origin' };
  const invited = await fetch(`${bed.apiUrl}/app/settings/members/new`, { method: 'POST', body, headers });
  expect([invited.status, invited.headers.get('content-encoding')]).toEqual([200, null]);
  expect(await invited.text()).toContain('sil_');
});

test.each(['/app', '/app/sign-in', '/app/nowhere', '/app/assets/none.css'])('%s has the dashboard’s headers', async (path) => {
  const { headers } = await ask(path);
  expect(headers).toMatchObject({
    'content-security-policy': POLICY,
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
});

test('HEAD is answered; methods other than GET, HEAD and POST are refused', async () => {
  const [put, head] = await Promise.all(
    ['PUT', 'HEAD'].map((method) => fetch(`${bed.apiUrl}/app`, { method, headers: { Cookie: member.cookie } })),
  );
  expect([put!.status, put!.headers.get('allow'), head!.status]).toEqual([405, 'GET, HEAD', 200]);
  expect((await member.get('/sign-out')).status).toBe(405);
});

/** Upper bound from decision record 87. */
const MOST_LINES = 723;

test('the browser code has at most the decided number of lines, without comments and imports', () => {
  const folder = new URL('../../../../api/pages/app/browser/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const lines = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n'));
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/\*|\*|$)|^import /.test(line));
  expect(code.length).toBeLessThanOrEqual(MOST_LINES);
});

import { type IncomingMessage, request } from 'node:http';
import fc from 'fast-check';
import { FORM_MAX_BYTES } from '../../../api/pages/layout/read-form.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';
import { anApproval, decide, linkOf, openPages, type PageBed, read, servePages } from './page-bed.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const statusOf = async (id: string) => (await bed.gateway.db('approvals').where({ id }).first()).status;

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
};

test('every answer has the headers of a hosted page; they forbid scripts, loads and frames', async () => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  const answers = [
    await fetch(link),
    await fetch(link, { method: 'HEAD' }),
    await fetch(`${bed.origin}/approve/nothing`),
    await fetch(link, { method: 'DELETE' }),
    await decide(link, 'nonsense'),
    await decide(link, 'approve', {}, { 'Sec-Fetch-Site': 'cross-site' }),
    await decide(link, 'approve'),
    await decide(link, 'approve'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 405, 400, 403, 303, 409]);
  for (const { headers } of answers) {
    expect(Object.fromEntries(headers)).toMatchObject(HEADERS);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; img-src data:$/,
    );
    expect(headers.get('x-request-id')).toMatch(/./);
  }
});

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is refused, and the answer names the allowed methods', async (method) => {
  const answer = await fetch(linkOf(bed, await anApproval(bed)), { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  expect(await answer.text()).toContain('<h1>That is not possible here</h1>');
});

test.each([
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
  { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
  { 'Sec-Fetch-Site': '', Origin: 'not an origin' },
])('a form from another site decides nothing: %j', async (headers) => {
  const approval = await anApproval(bed);
  const answer = await decide(linkOf(bed, approval), 'approve', {}, headers as Record<string, string>);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('This form came from another site');
  expect(await statusOf(approval.id)).toBe('pending');
});

test("the page's own form is accepted with or without the headers that browsers add", async () => {
  const own: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: bed.origin },
    { 'Sec-Fetch-Site': '', Origin: bed.gateway.config.platformUrl },
    { 'Sec-Fetch-Site': '', Origin: '' },
  ];
  for (const headers of own) expect((await decide(linkOf(bed, await anApproval(bed)), 'reject', {}, headers)).status).toBe(303);
});

test.each(['', 'approved', 'APPROVE', 'constructor', '__proto__'])('a form with the decision %j gets a 400 page', async (decision) => {
  const approval = await anApproval(bed);
  const answer = await decide(linkOf(bed, approval), decision);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('has no valid decision');
  expect(await statusOf(approval.id)).toBe('pending');
});

test.each([
  'decision=approve&decision=reject',
  'decision=approve&reason=a&reason=b',
  'decision=approve&token=x',
  'decision=approve&as=a&as=b',
  '',
  'reason=only',
  'decision[]=approve',
])('a form with missing or repeated fields decides nothing and gets a page: %s', async (fields) => {
  const approval = await anApproval(bed);
  const token = new URL(linkOf(bed, approval)).searchParams.get('token');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const body of [`token=${token}&${fields}`, fields]) {
    const answer = await fetch(linkOf(bed, approval), { method: 'POST', body, headers, redirect: 'manual' });
    expect([400, 404]).toContain(answer.status);
    expect(await answer.text()).toContain('<main class="problem">');
  }
  expect(await statusOf(approval.id)).toBe('pending');
});

/** Each form needs a new connection: after status 413, the server closes the connection. */
function post(link: string, body: string): Promise<IncomingMessage> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const asked = request(link, { method: 'POST', headers, agent: false }, (answer) => resolve(answer.resume()));
    asked.on('error', reject).end(body);
  });
}

test('a form with any bytes gets a page instead of a 5xx', async () => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  const token = new URL(link).searchParams.get('token');
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.webQueryParameters()), fc.boolean(), async (rest, hasToken) => {
      const answer = await post(link, `${hasToken ? `token=${token}&` : ''}${rest}`);
      expect([400, 404, 413]).toContain(answer.statusCode);
      expect(answer.headers['content-type']).toContain('text/html');
    }),
    { numRuns: 60 },
  );
  expect(await statusOf(approval.id)).toBe('pending');
});

test('a form of another content type gets a 415 page', async () => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']) {
    const answer = await fetch(link, { method: 'POST', body: '{"decision":"approve"}', headers: { 'Content-Type': type } });
    expect(answer.status).toBe(415);
    expect(await answer.text()).toContain('<main class="problem">');
  }
  expect((await fetch(link, { method: 'POST' })).status).toBe(415);
});

test('an oversized form gets a 413 page, with or without a Content-Length', async () => {
  const approval = await anApproval(bed);
  const body = `decision=approve&reason=${'x'.repeat(FORM_MAX_BYTES)}`;
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(body));
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const said = await fetch(linkOf(bed, approval), { method: 'POST', body, headers });
  const unsaid = await fetch(linkOf(bed, approval), { method: 'POST', body: stream, headers, duplex: 'half' } as RequestInit);
  expect([said.status, unsaid.status]).toEqual([413, 413]);
  expect(await said.text()).toContain('The text is too long');
});

test('the longest allowed reason is accepted; an invalid reason is returned for correction', async () => {
  const [long, short] = await Promise.all([anApproval(bed), anApproval(bed)]);
  const longest = 'ä'.repeat(DECISION_REASON_MAX_LENGTH);
  for (const reason of [`${longest}ä`, 'a\0b']) {
    const answer = await decide(linkOf(bed, long), 'reject', { reason });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain('Nothing is decided yet');
    expect(html).toContain(reason.length > 10 ? reason : 'a\ufffdb');
  }
  expect(await statusOf(long.id)).toBe('pending');
  expect((await decide(linkOf(bed, short), 'reject', { reason: longest })).status).toBe(303);
});

test('invalid percent-encoding and invalid UTF-8 are treated as text', async () => {
  const approval = await anApproval(bed);
  const token = new URL(linkOf(bed, approval)).searchParams.get('token');
  const body = Buffer.concat([Buffer.from(`token=${token}&decision=reject&reason=%zz%E0%A4%A`), Buffer.from([0xff, 0xfe])]);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(linkOf(bed, approval), { method: 'POST', body, headers, redirect: 'manual' });
  expect(answer.status).toBe(303);
  expect(await statusOf(approval.id)).toBe('rejected');
});

test('while the database is unreachable, the page says so with status 503', async () => {
  const away = await servePages('postgres://nobody@127.0.0.1:1/nothing');
  try {
    const link = linkOf(away, { id: `apr_${'0'.repeat(22)}` });
    for (const answer of [await fetch(link), await decide(link, 'approve')]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
      const html = await answer.text();
      expect(html).toContain('Nothing is lost and nothing changed.');
      expect(html).not.toContain('postgres');
    }
    expect((await read(`${away.origin}/approve/apr_1?token=x`)).status).toBe(404);
  } finally {
    await away.close();
  }
});

test('a path that only starts like the page’s path does not get a hosted page', async () => {
  const answer = await fetch(`${bed.origin}/approved`);
  expect(answer.headers.get('content-type')).toContain('application/json');
});

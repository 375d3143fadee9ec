import { request } from 'node:http';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { anApproval } from '../../page-bed.ts';
import { type AppMember, aMember, appClient, pageBed } from '../app-bed.ts';

let bed: ApiBed;
let owner: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  owner = await aMember(bed, 'owner');
});
afterAll(() => bed.close());

const WORD = 'a'.repeat(100 * 1024);

test.each([
  ['/workspaces/new', { name: WORD, slug: 'long' }],
  ['/people/new', { externalId: WORD, displayName: WORD }],
  ['/keys/new', { name: WORD }],
  ['/servers/new', { name: WORD, mode: 'tools', authMode: 'bearer', access: 'open' }],
  ['/settings/organization', { name: WORD }],
  ['/settings/members/new', { email: `${WORD}@example.com`, role: 'viewer' }],
  ['/policies/new', { name: WORD }],
])('a form with a word of 100 kB is refused and shown again: %s', async (path, fields) => {
  const { status, text, html } = await owner.post(path, fields);
  expect([status, text.includes('Nothing was saved.'), html.includes(WORD)]).toEqual([400, true, true]);
});

test('a reason of 100 kB is refused and stays in the form', async () => {
  const { id } = await anApproval(pageBed(bed));
  const { status, html } = await owner.post(`/approvals/${id}/decide`, { decision: 'approve', reason: WORD });
  expect([status, html.includes(WORD)]).toEqual([400, true]);
});

test('an e-mail address of 100 kB is treated as unknown', async () => {
  const { status, text } = await appClient(bed).post('/sign-in', { email: WORD, password: WORD });
  expect([status, text.includes("That e-mail and password don't match.")]).toEqual([400, true]);
});

test('a form of 4 MB answers 413', async () => {
  const sent = (path: string) =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', Accept: 'text/html' };
      const asked = request(`${bed.apiUrl}/app${path}`, { method: 'POST', headers, agent: false }, (answer) =>
        resolve(answer.resume().statusCode),
      );
      asked.on('error', reject);
      for (let piece = 0; piece < 40; piece += 1) asked.write(Buffer.alloc(100 * 1024, 'a'));
      asked.end();
    });
  expect(await sent('/sign-in')).toBe(413);
  expect(await sent('/keys/new')).toBe(413);
});

test('a form with too many fields is refused', async () => {
  const fields = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`f${index}`, '']));
  expect((await owner.post('/keys/new', fields)).status).toBe(413);
});

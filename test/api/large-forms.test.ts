import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

const FORM = 'application/x-www-form-urlencoded';
const BODY = `email=${'x'.repeat(4_000_000)}`;

describe.each(['/sign-in', '/account', '/app/sign-in', '/app/setup', '/approve/apr_x', '/connect/portal', '/connect'])(
  'POST %s',
  (path) => {
    test.each([
      ['a form from the same page', { 'Sec-Fetch-Site': 'same-origin' }, FORM, 413],
      ['a form from another site', { 'Sec-Fetch-Site': 'cross-site' }, FORM, 403],
      ['a text', { 'Sec-Fetch-Site': 'same-origin' }, 'text/plain', 415],
    ])('4 MB of %s get an answer instead of a connection reset', async (_, headers, type, expected) => {
      const { status } = await fetch(`${bed.apiUrl}${path}`, { method: 'POST', headers: { ...headers, 'Content-Type': type }, body: BODY });
      expect(status).toBe(expected);
    });
  },
);

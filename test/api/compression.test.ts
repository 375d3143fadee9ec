import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

/** Sends a request as a client that accepts these encodings, and does not decode the body. */
async function ask(path: string, accepted?: string, headers: Record<string, string> = {}) {
  const asking = request(`${bed.apiUrl}${path}`, { headers: { ...headers, ...(accepted && { 'accept-encoding': accepted }) } }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { encoding: answer.headers['content-encoding'], vary: answer.headers.vary, tag: answer.headers.etag, body: await buffer(answer) };
}

describe.each(['/docs', '/openapi.json'])('%s', (path) => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is sent as %s to those who accept it, and is the same', async (encoding, decode) => {
    const [plain, sent] = [await ask(path), await ask(path, encoding)];
    expect([plain.encoding, sent.encoding]).toEqual([undefined, encoding]);
    expect(sent.vary).toContain('Accept-Encoding');
    expect(sent.tag).toBe(plain.tag);
    expect(decode(sent.body).equals(plain.body)).toBe(true);
    expect(sent.body.length).toBeLessThan(150_000);
  });
});

test('an answer with a secret beside text of the caller is not compressed', async () => {
  const make = bed.api.must(201);
  const name = 'x'.repeat(100);
  for (let made = 0; made < 20; made++) await make.post('/api/v1/workspaces', { name: `${name} ${made}`, slug: `made-${made}` });
  const { encoding, body } = await ask('/api/v1/workspaces', 'br, gzip', { authorization: `Bearer ${bed.plainKey}` });
  expect(encoding).toBeUndefined();
  expect(JSON.parse(body.toString()).workspaces.length).toBeGreaterThan(19);
});

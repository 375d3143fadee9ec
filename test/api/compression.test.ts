import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { ROUTES } from '../../api/routes.ts';
import { createOrg } from '../../commands/access/create-org.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function ask(path: string, accepted?: string, headers: Record<string, string> = {}) {
  const asking = request(`${bed.apiUrl}${path}`, { headers: { ...headers, ...(accepted && { 'accept-encoding': accepted }) } }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { encoding: answer.headers['content-encoding'], vary: answer.headers.vary, tag: answer.headers.etag, body: await buffer(answer) };
}

describe.each(['/docs', '/openapi.json'])('%s', (path) => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is sent as %s to clients that accept this encoding, with the same content', async (encoding, decode) => {
    const [plain, sent] = [await ask(path), await ask(path, encoding)];
    expect([plain.encoding, sent.encoding]).toEqual([undefined, encoding]);
    expect(sent.vary).toContain('Accept-Encoding');
    expect(sent.tag).toBe(plain.tag);
    expect(decode(sent.body).equals(plain.body)).toBe(true);
    expect(sent.body.length).toBeLessThan(150_000);
  });
});

const withKey = () => ({ authorization: `Bearer ${bed.plainKey}` });

describe.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('lists of the API as %s', (encoding, decode) => {
  test('only long lists are compressed, but short lists also vary by Accept-Encoding', async () => {
    const empty = await createOrg(bed.gateway, 'Empty');
    const short = await ask('/api/v1/workspaces', encoding, { authorization: `Bearer ${empty.plainKey}` });
    expect([short.encoding, short.vary]).toEqual([undefined, expect.stringContaining('Accept-Encoding')]);
    const make = bed.api.must(201);
    const name = 'x'.repeat(100);
    for (let made = 0; made < 20; made++)
      await make.post('/api/v1/workspaces', { name: `${name} ${made}`, slug: `made-${encoding}-${made}` });
    const [plain, long] = [await ask('/api/v1/workspaces', undefined, withKey()), await ask('/api/v1/workspaces', encoding, withKey())];
    expect([plain.encoding, long.encoding, long.vary]).toEqual([undefined, encoding, expect.stringContaining('Accept-Encoding')]);
    expect(decode(long.body).equals(plain.body)).toBe(true);
    expect(long.body.length).toBeLessThan(plain.body.length / 4);
  });

  test('the compressed catalogue has the ETag of the plain catalogue', async () => {
    const path = '/api/v1/integrations?summary=true';
    const [plain, sent] = [await ask(path), await ask(path, encoding)];
    expect([sent.encoding, sent.tag]).toEqual([encoding, plain.tag]);
    expect(decode(sent.body).equals(plain.body)).toBe(true);
    const known = await ask(path, encoding, { 'if-none-match': plain.tag! });
    expect([known.encoding, known.body.length, known.vary]).toEqual([undefined, 0, expect.stringContaining('Accept-Encoding')]);
  });
});

test('an answer with a secret and text of the caller is not compressed', async () => {
  const text = 'x'.repeat(3000);
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'] });
  const call = { workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } };
  await bed.api.must(202).post('/api/v1/actions/execute', call);
  const { encoding, body } = await ask('/api/v1/approvals', 'br, gzip', withKey());
  expect(encoding).toBeUndefined();
  expect(JSON.parse(body.toString()).approvals[0].hostedApprovalUrl).toMatch(/token=apr_link_v1_/);
});

const SECRET_NAME = /secret|password|plainKey|tokens?$|tokenPrefix|connectUrl|approvalUrl|signInLink|callbackHeaders|values/i;

test('compressible routes only read, and their answers have no field for a secret', () => {
  const compressible = ROUTES.filter(({ isCompressible }) => isCompressible);
  expect(compressible.length).toBeGreaterThan(10);
  for (const { method, path, answers } of compressible) {
    const names = Object.values(answers).flatMap((schema) => fieldNames(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })));
    const kinds = names.filter((name) => SECRET_NAME.test(name) && !NO_SECRETS.has(name));
    expect([method, path, kinds]).toEqual(['get', path, []]);
  }
});

/** `secret` says whether a form field is a secret. */
const NO_SECRETS = new Set(['secret']);

function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(fieldNames)];
}

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openModel } from '../../infra/model.ts';
import { exchangeCode } from '../../infra/oauth/authorization-code.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { readBody } from '../../infra/outbound-body.ts';

const outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });

/** A gzip header and 50 MB of empty stored blocks: a stream without content or end. */
const EMPTY_BLOCKS = Buffer.concat([gzipSync('').subarray(0, 10), Buffer.alloc(50_000_000, Buffer.from([0, 0, 0, 255, 255]))]);
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 } };
const ZEROS = Buffer.alloc(50_000_000);

const BOMBS: Record<string, Buffer> = {
  'gzip, br': brotliCompressSync(EMPTY_BLOCKS, QUICK),
  'br, gzip': gzipSync(brotliCompressSync(ZEROS, QUICK)),
  'gzip, gzip': gzipSync(EMPTY_BLOCKS),
  'x-gzip,deflate': deflateSync(EMPTY_BLOCKS),
  'gzip, zstd': zstdCompressSync(EMPTY_BLOCKS),
  'gzip, identity, br': brotliCompressSync(EMPTY_BLOCKS, QUICK),
  'rot13, br': brotliCompressSync(ZEROS, QUICK),
  'br, br, br': brotliCompressSync(ZEROS, QUICK),
  gzip: gzipSync(ZEROS),
  'X-GZIP': gzipSync(ZEROS),
  'identity, gzip': gzipSync(ZEROS),
  deflate: deflateSync(ZEROS),
  br: brotliCompressSync(ZEROS, QUICK),
  zstd: zstdCompressSync(ZEROS),
};

let base: string;
const server = createServer((request, response) => {
  const encoding = decodeURIComponent(request.url!.slice(1).split('?')[0]!);
  const bomb = BOMBS[encoding];
  if (bomb) response.writeHead(200, { 'Content-Encoding': encoding, 'Content-Type': 'application/json' }).end(bomb);
  else answers[encoding]!(response);
});

function endlessly(response: ServerResponse, bytes: Buffer): void {
  const write = () => {
    while (response.write(bytes));
  };
  response.on('drain', write);
  write();
}

const answers: Record<string, (response: ServerResponse) => void> = {
  repeated: (response) => {
    response.setHeader('Content-Encoding', ['gzip', 'br']);
    response.end(BOMBS['gzip, br']);
  },
  'endless blocks': (response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).write(EMPTY_BLOCKS.subarray(0, 10));
    endlessly(response, EMPTY_BLOCKS.subarray(10, 65_010));
  },
  'endless members': (response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    endlessly(response, Buffer.concat(Array.from({ length: 3000 }, () => gzipSync(''))));
  },
  'endless frames': (response) => {
    response.writeHead(200, { 'Content-Encoding': 'zstd' });
    endlessly(response, Buffer.concat(Array.from({ length: 5000 }, () => zstdCompressSync(''))));
  },
  'a large window': (response) => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
    const pledged = zstdCompressSync(Buffer.alloc(200_000_000), { params });
    response.writeHead(200, { 'Content-Encoding': 'zstd' }).end(pledged);
  },
};

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

/** Returns the processor time of all threads, in seconds. */
async function computing(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

const isNested = (encoding: string) => encoding.split(',').filter((name) => name.trim() !== 'identity').length > 1;

test.each(Object.keys(BOMBS))('a decompression bomb in %s fails within a second of processor time', async (encoding) => {
  const expected = isNested(encoding)
    ? { kind: 'bad_response', message: 'The answer has more than one Content-Encoding, and only one is decoded.' }
    : { kind: 'too_large' };
  const spent = await computing(async () => {
    const request = { url: `${base}/${encodeURIComponent(encoding)}`, cutsFailures: true };
    await expect(outbound.request(request)).rejects.toMatchObject({ code: 'ACTION_FAILED', ...expected });
    await delay(200); // measures also work that continues after the failure
  });
  expect(spent).toBeLessThan(1);
});

test.each([
  ['repeated', 'bad_response'],
  ['endless blocks', 'too_large'],
  ['endless members', 'too_large'],
  ['endless frames', 'bad_response'], // Node decodes only one frame of a stream
  ['a large window', 'bad_response'],
])('an endless or oversized answer fails after little processor time: %s', async (name, kind) => {
  const spent = await computing(async () => {
    await expect(outbound.request({ url: `${base}/${encodeURIComponent(name)}`, timeoutMs: 60_000 })).rejects.toMatchObject({ kind });
    await delay(200);
  });
  expect(spent).toBeLessThan(3);
});

test.each<[string, (text: string) => Buffer]>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('a truncated body in %s is an error', async (encoding, encode) => {
  const whole = encode('abc'.repeat(10_000) + Math.random());
  const signal = AbortSignal.timeout(60_000);
  const half = Readable.from([whole.subarray(0, whole.length - 8)]);
  const failed = await readBody(half, encoding, { maxBytes: 1_000_000, mayCut: false, signal }).catch((error) => error);
  expect(failed).toMatchObject({ code: expect.stringMatching(/^(Z_BUF_ERROR|ERR_|ZSTD)/) });
});

test('after the end of a gzip stream, only padding or another member is allowed', async () => {
  const signal = AbortSignal.timeout(60_000);
  const read = (...parts: (string | Buffer)[]) =>
    readBody(Readable.from([Buffer.concat(parts.map((part) => Buffer.from(part)))]), 'gzip', { maxBytes: 1000, mayCut: false, signal });
  expect((await read(gzipSync('a'), gzipSync('b'))).body.toString()).toBe('ab');
  expect((await read(gzipSync('a'), Buffer.alloc(10))).body.toString()).toBe('a');
  await expect(read(gzipSync('a'), 'garbage')).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  await expect(read(gzipSync('x'.repeat(600)), gzipSync('x'.repeat(600)))).rejects.toMatchObject({ kind: 'too_large' });
});

test('an abort stops a decoder that is working', async () => {
  const stop = new AbortController();
  const member = gzipSync(Buffer.alloc(32_000_000));
  const body = Readable.from(Array.from({ length: 1000 }, () => member));
  const reading = readBody(body, 'gzip', { maxBytes: Number.POSITIVE_INFINITY, mayCut: true, signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(body.destroyed).toBe(true);
  expect(await computing(() => delay(500))).toBeLessThan(0.3);
});

test('an answer in two encodings is refused from a token endpoint and from the model too', async () => {
  const provider = { authorizationUrl: 'https://x.example', tokenUrl: `${base}/${encodeURIComponent('gzip, br')}`, scopes: [] };
  const flow = { clientId: 'c', redirectUri: 'https://y.example', codeVerifier: 'v', clientSecret: 's', code: 'c' };
  await expect(exchangeCode(outbound, provider, flow)).rejects.toMatchObject({ kind: 'bad_response' });
  const model = openModel({ baseUrl: `${base}/${encodeURIComponent('gzip, br')}?`, apiKey: undefined, name: 'm' })!;
  const question = { name: 'q', instructions: '', material: {}, answer: z.object({}), timeoutMs: 30_000 };
  await expect(model.ask(question)).rejects.toMatchObject({ name: 'ModelError' });
  await model.close();
});

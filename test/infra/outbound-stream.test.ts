import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { closeAll, local, serve } from './outbound-servers.ts';

afterEach(closeAll);

test('a streamed body is delivered while it arrives', async () => {
  const waiting = Promise.withResolvers<ServerResponse>();
  const url = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('first');
    waiting.resolve(response);
  });
  const answer = await local().stream({ url });
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  const reader = answer.body.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first');
  (await waiting.promise).end('second');
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('second');
  expect((await reader.read()).done).toBe(true);
});

test('a streamed body is decoded, and its size is limited', async () => {
  const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(2000))));
  const answer = await local().stream({ url, maxBytes: 2000 });
  expect(answer.headers).not.toHaveProperty('content-encoding');
  expect(await text(answer.body)).toBe('x'.repeat(2000));
  const large = await local().stream({ url, maxBytes: 1999 });
  await expect(text(large.body)).rejects.toMatchObject({ kind: 'too_large' });
});

test('the time limit and the signal end an endless body', async () => {
  const url = await serve((_, response) => response.writeHead(200).write('first'));
  const late = await local().stream({ url, timeoutMs: 500 });
  await expect(text(late.body)).rejects.toMatchObject({ kind: 'timeout' });
  const stop = new AbortController();
  const canceled = await local().stream({ url, signal: stop.signal });
  stop.abort();
  await expect(text(canceled.body)).rejects.toMatchObject({ kind: 'aborted' });
});

test('a broken connection is an error, and canceling the body closes the connection', async () => {
  const broken = await serve((_, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('first');
    setImmediate(() => response.destroy());
  });
  await expect(
    local()
      .stream({ url: broken })
      .then(({ body }) => text(body)),
  ).rejects.toMatchObject({ kind: 'unreachable' });
  const closed = Promise.withResolvers<void>();
  const endless = await serve(async (_, response) => {
    response.writeHead(200).write('first');
    await once(response, 'close');
    closed.resolve();
  });
  const { body } = await local().stream({ url: endless });
  await body.cancel();
  await closed.promise;
});

test('redirects and addresses are checked as for answers that are not streamed', async () => {
  const target = await serve((_, response) => response.end('there'));
  const url = await serve((_, response) => response.writeHead(302, { Location: target }).end('moved'));
  expect((await local().stream({ url })).status).toBe(302);
  expect(await text((await local().stream({ url, redirects: 1 })).body)).toBe('there');
  const inside = await serve((_, response) => response.writeHead(302, { Location: 'http://10.0.0.1/' }).end());
  await expect(local().stream({ url: inside, redirects: 1 })).rejects.toMatchObject({ kind: 'blocked' });
});

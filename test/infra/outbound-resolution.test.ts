import { afterEach, describe, expect, test } from '@jest/globals';
import { openOutbound } from '../../infra/outbound.ts';
import { CERTIFICATE } from './outbound-certificate.ts';
import { closeAll, opened, serve, serveTls } from './outbound-servers.ts';

afterEach(closeAll);

describe('addresses', () => {
  test('by default, a server on this machine is refused under all its names', async () => {
    let hits = 0;
    const port = await serveTls((_, response) => {
      hits += 1;
      response.end();
    });
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: [] }, { ca: CERTIFICATE }));
    for (const host of ['127.0.0.1', '127.1', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      await expect(outbound.request({ url: `https://${host}:${port}/` })).rejects.toMatchObject({ kind: 'blocked' });
    }
    expect(hits).toBe(0);
  });

  test.each([[['10.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:8.8.8.8']], [['fd00::1']], [[]], [['not an address']]])(
    'a name that resolves to %j is blocked without revealing the addresses',
    async (addresses) => {
      const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: [] }, { resolve: async () => addresses }));
      const error = await outbound.request({ url: 'https://rebind.test/' }).catch((error) => error);
      expect(error).toMatchObject({ kind: 'blocked', message: 'rebind.test is not a public address, so it may not be called.' });
    },
  );

  test('a name is resolved once per request, and the connection uses the checked address', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const url = await serve((_, response) => response.setHeader('Connection', 'close').end('here'));
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => answers[asked++]! }));
    const rebinding = `http://rebind.test:${new URL(url).port}/`;

    expect((await outbound.request({ url: rebinding })).body.toString()).toBe('here');
    expect(asked).toBe(1);
    await expect(outbound.request({ url: rebinding })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('a name with configured and other private addresses is called at the configured addresses', async () => {
    const url = await serve((_, response) => response.end('configured'));
    const outbound = opened(
      openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => ['10.0.0.1', '127.0.0.1'] }),
    );
    expect((await outbound.request({ url: `http://mixed.test:${new URL(url).port}/` })).body.toString()).toBe('configured');
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '2606:4700::1111']],
    [['127.0.0.1', '127.0.0.2', '8.8.8.8']],
    [['8.8.8.8', '10.0.0.1']],
    [['8.8.8.8', 'fd00::1']],
    [['2606:4700::1111', '64:ff9b::7f00:1']],
    [['8.8.8.8', '::ffff:10.0.0.1']],
    [['8.8.8.8', '::127.0.0.1']],
    [['8.8.8.8', '2002:7f00:1::']],
    [['8.8.8.8', '2001:0:7f00:1::']],
    [['9.9.9.9', '10.0.0.1']],
  ])('a name that resolves to both public and private addresses (%j) is refused', async (addresses) => {
    let hits = 0;
    const url = await serve((_, response) => {
      hits += 1;
      response.end();
    });
    const settings = { allowHttp: true, allowCidrs: ['127.0.0.0/8', '9.9.9.0/24'] };
    const { port } = new URL(url);
    for (const order of [addresses, addresses.toReversed()]) {
      const answer = await opened(openOutbound(settings, { resolve: async () => order }))
        .request({ url: `http://mixed.test:${port}/`, timeoutMs: 30_000 })
        .catch((error) => error);
      expect([answer.kind, answer.message]).toEqual(['blocked', 'mixed.test is not a public address, so it may not be called.']);
    }
    expect(hits).toBe(0);
  });

  test('a name that later gets a public address too is refused at the next connection', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1', '8.8.8.8']];
    const url = await serve((_, response) => response.setHeader('Connection', 'close').end('here'));
    const resolve = async () => answers.shift() ?? [];
    const outbound = opened(openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve }));
    const changing = `http://changing.test:${new URL(url).port}/`;
    expect((await outbound.request({ url: changing })).status).toBe(200);
    await expect(outbound.request({ url: changing })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('if an address does not accept the connection, the next address is tried', async () => {
    const url = await serve((_, response) => response.end('second'));
    const outbound = opened(
      openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] }, { resolve: async () => ['127.0.0.99', '127.0.0.1'] }),
    );
    expect((await outbound.request({ url: `http://two.test:${new URL(url).port}/` })).body.toString()).toBe('second');
  });

  test('without plain HTTP, public names are called only on port 443', async () => {
    const outbound = opened(openOutbound({ allowHttp: false, allowCidrs: ['10.0.0.0/8'] }, { resolve: async () => ['8.8.8.8'] }));
    await expect(outbound.request({ url: 'https://public.test:8443/' })).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringContaining('443'),
    });
  });
});

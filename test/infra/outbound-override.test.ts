import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../infra/config.ts';
import { developmentWarnings } from '../../infra/development-warnings.ts';
import { openOutbound } from '../../infra/outbound.ts';
import { hostOverrides } from '../../infra/outbound-override.ts';
import { openServiceOutbound } from '../../infra/service-outbound.ts';
import { CERTIFICATE } from './outbound-certificate.ts';
import { closeAll, listen, opened, serveTls } from './outbound-servers.ts';

afterEach(closeAll);

const closed = { allowHttp: false, allowCidrs: [] };

describe('OUTBOUND_RESOLVE', () => {
  test('changes only the address of a host, not the name in the request or the certificate check', async () => {
    const port = await serveTls((request, response) => response.end(`${request.headers.host}${request.url}`));
    const overrides = hostOverrides([`Gateway.test=127.0.0.1:${port}`]);
    const outbound = opened(openOutbound({ ...closed, overrides }, { ca: CERTIFICATE }));
    const { body } = await outbound.request({ url: 'https://gateway.test/v1?a=b' });
    expect(body.toString()).toBe('gateway.test/v1?a=b');
  });

  test('a certificate of another host is refused', async () => {
    const port = await serveTls((_, response) => response.end('no'));
    const outbound = opened(
      openOutbound({ ...closed, overrides: hostOverrides([`api.example.com=127.0.0.1:${port}`]) }, { ca: CERTIFICATE }),
    );
    await expect(outbound.request({ url: 'https://api.example.com/' })).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('does not allow the address itself or other hosts', async () => {
    const { port } = await listen(createServer((_, response) => response.end('no')));
    const outbound = opened(
      openOutbound({ ...closed, overrides: hostOverrides([`a.example=127.0.0.1:${port}`]) }, { resolve: async () => ['127.0.0.1'] }),
    );
    await expect(outbound.request({ url: 'https://127.0.0.1/' })).rejects.toThrow();
    await expect(outbound.request({ url: 'https://b.example/' })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('an override never leads to a part of the service', async () => {
    const config = {
      ...readConfig({ PORT: '8080', TOKEN_PEPPER: 'p'.repeat(40), OUTBOUND_RESOLVE: 'a.example=127.0.0.1:8080,b.example=[::1]:5432' }),
    };
    const outbound = opened(openServiceOutbound({ ...config, databaseUrl: 'postgres://localhost:5432/x' }));
    for (const host of ['a.example', 'b.example'])
      await expect(outbound.request({ url: `https://${host}/` })).rejects.toMatchObject({ kind: 'blocked' });
  });

  test.each(['a', 'a=b', 'a=127.0.0.1', 'a=127.0.0.1:0', 'a=127.0.0.1:70000', 'a=::1:80', '1.2.3.4=127.0.0.1:80', 'a/b=c:80', '=c:80'])(
    'the setting %s is refused at start-up',
    (text) => expect(() => hostOverrides([text])).toThrow(/OUTBOUND_RESOLVE holds/),
  );

  test('the overrides are logged at start-up', () => {
    expect(developmentWarnings(readConfig({ OUTBOUND_RESOLVE: 'a.example=127.0.0.1:1' })).join()).toContain('a.example=127.0.0.1:1');
    expect(developmentWarnings(readConfig({})).join()).not.toContain('OUTBOUND_RESOLVE');
  });
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { openApi } from '../../api/openapi.ts';
import { docs } from '../../api/pages/docs.ts';
import { ROUTES } from '../../api/routes.ts';
import type { Gateway } from '../../commands/gateway.ts';

test.each([
  ['/openapi.json', openApi],
  ['/docs', docs],
] as const)('%s is generated again on the next request if the first attempt failed', async (path, make) => {
  const app = new Koa();
  app.silent = true;
  app.use(make({ config: { baseUrl: 'https://gateway.example' } } as Gateway, failingOnce()));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const statuses = [(await fetch(url)).status, (await fetch(url)).status];
  server.closeAllConnections();
  server.close();
  expect(statuses).toEqual([500, 200]);
});

function failingOnce(): typeof ROUTES {
  let isFirst = true;
  return new Proxy(ROUTES, {
    get: (routes, name, receiver) => {
      if (isFirst) {
        isFirst = false;
        throw new Error('not there yet');
      }
      return Reflect.get(routes, name, receiver);
    },
  });
}

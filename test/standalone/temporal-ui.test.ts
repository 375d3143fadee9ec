import { openTemporalUi, type TemporalUi } from '../../standalone/temporal-ui.ts';

let ui: TemporalUi;
const asked: string[] = [];
beforeAll(async () => {
  const files = {
    read: async (path: string) => {
      asked.push(path);
      return Buffer.from('x');
    },
    close: async () => {},
  };
  const api = { ask: async () => ({ status: 200, body: {} }), close: () => {} };
  ui = await openTemporalUi({ listenHost: '127.0.0.1', port: 0, publicUrl: undefined, files, api });
});
afterAll(() => ui.close());

test.each([
  ['/a.js', 200, '/a.js', 'text/javascript; charset=utf-8'],
  ['/_app/immutable/chunks/a-1.b.c.JS', 200, '/_app/immutable/chunks/a-1.b.c.JS', 'text/javascript; charset=utf-8'],
  ['/.hidden/a.js', 200, '/', 'text/html; charset=utf-8'],
  ['/namespaces/default/a.js', 200, '/', 'text/html; charset=utf-8'],
  [`/${'a'.repeat(1023)}`, 200, '/', 'text/html; charset=utf-8'],
  [`/${'a'.repeat(1024)}`, 414, undefined, 'text/plain'],
  [`/${'a'.repeat(15_000)}!`, 414, undefined, 'text/plain'],
  [`/${'a/'.repeat(7000)}!.js`, 414, undefined, 'text/plain'],
])('GET %.30s returns %d with the file %s', async (path, status, file, contentType) => {
  asked.length = 0;
  const answer = await fetch(`http://127.0.0.1:${ui.port}${path}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, contentType]);
  expect(asked).toEqual(file === undefined ? [] : [file]);
});

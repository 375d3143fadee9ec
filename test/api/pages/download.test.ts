import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { renderErrors } from '../../../api/middleware/render-errors.ts';
import { download } from '../../../api/pages/download.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

let bed: ApiBed;
let server: Server;
let origin: string;
beforeAll(async () => {
  bed = await openApiBed();
  server = new Koa().use(renderErrors(bed.gateway.logger)).use(download(bed.gateway)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await bed.close();
});

function storage(actionName: string, input: object) {
  const { api, workspaceId } = bed;
  return api.must(200).post('/api/v1/actions/execute', { workspaceId, integrationName: 'storage', actionName, input, endUserId: 'ada' });
}

async function aLink(file: { path: string; content: string; contentType?: string }): Promise<string> {
  await storage('write_file', file);
  const { output } = await storage('get_download_url', { path: file.path });
  return `${origin}${new URL(output.url).pathname}`;
}

test('a link returns the file unchanged, as an attachment and never as a page', async () => {
  const link = await aLink({ path: 'reports/März "1".html', content: '<script>alert(1)</script>', contentType: 'text/html' });
  const answer = await fetch(link);
  expect(await answer.text()).toBe('<script>alert(1)</script>');
  expect(answer.headers.get('content-type')).toBe('text/html');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename=/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

test('HEAD returns the content length without the file', async () => {
  const answer = await fetch(await aLink({ path: 'a.txt', content: 'hello' }), { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '5', '']);
});

test('forged and malformed links and links to deleted files get the same answer', async () => {
  const link = await aLink({ path: 'b.txt', content: 'x' });
  await storage('delete_file', { path: 'b.txt' });
  for (const url of [link, `${link}x`, `${origin}/files/x`, `${origin}/files/a.b`, `${origin}/files/a.b.c`]) {
    const answer = await fetch(url);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
  }
});

test('only GET and HEAD are allowed', async () => {
  const answer = await fetch(await aLink({ path: 'c.txt', content: 'x' }), { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

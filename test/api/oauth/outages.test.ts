import { until } from '../../support/until.ts';
import { type CountedBed, openCountedBed } from '../counted-bed.ts';
import { aClient, anAuthorization, aServer, postForm } from './oauth-bed.ts';

let counted: CountedBed;
beforeAll(async () => {
  counted = await openCountedBed();
}, 120_000);
afterAll(() => counted?.close());

test('without a database, the authorization server answers 503 with a retry time', async () => {
  const { bed } = counted;
  const [server, { client_id }] = await Promise.all([aServer(bed), aClient(bed)]);
  const refresh = () => postForm(bed, '/oauth/token', { grant_type: 'refresh_token', refresh_token: 'mcpr_x', client_id });
  const open = (accept: string) =>
    fetch(anAuthorization(bed, client_id, server.mcpEndpoint).url, { redirect: 'manual', headers: { accept } });
  expect(await refresh()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  await counted.cutDatabase();

  const refused = await refresh();
  expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE', error: expect.stringContaining('database') } });
  expect([refused.headers.get('retry-after'), refused.headers.get('access-control-allow-origin')]).toEqual(['1', '*']);
  const page = await open('text/html');
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await page.text()).toContain('The database is not reachable');
  const json = await open('application/json');
  expect([json.status, await json.json()]).toEqual([503, expect.objectContaining({ code: 'UNAVAILABLE' })]);

  counted.mendDatabase();
  await until(async () => (await refresh()).status === 400);
  expect((await open('text/html')).status).toBe(303);
}, 60_000);

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tasksAt } from '../api/integrations/own/own-bed.ts';
import { aTenant } from '../support/tenant.ts';
import { admin } from './run-admin.ts';

const file = join(mkdtempSync(join(tmpdir(), 'gateway-import-')), 'tasks.json');
writeFileSync(file, JSON.stringify(tasksAt('https://api.example.com')));
const list = join(dirname(file), 'list.json');
writeFileSync(list, '["a header"]');

test('import creates an integration from a file, and the API returns this integration', async () => {
  const { orgId, api } = await aTenant();
  const args = ['import', '--org', orgId, '--kind', 'declarative', '--name', 'tasks', '--file', file];
  const preview = JSON.parse((await admin(...args, '--preview')).stdout);
  expect(preview.report).toMatchObject({ imported: 2 });
  expect((await api.get('/api/v1/integrations/tasks')).status).toBe(404);
  const { integration } = JSON.parse((await admin(...args)).stdout);
  expect(integration).toMatchObject({ name: 'tasks', version: 1, actions: ['get_task', 'create_task'] });
  expect((await api.must(200).get('/api/v1/integrations/tasks')).integration.id).toBe(integration.id);
  expect(await admin(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('DUPLICATE') });
});

test('import can select operations of a document that has too many', async () => {
  const { orgId, api } = await aTenant();
  const operations = Array.from({ length: 2001 }, (_, index) => [
    `/${index % 2 ? 'cats' : 'dogs'}/${index}`,
    { get: { tags: [index % 2 ? 'cats' : 'dogs'], responses: {} } },
  ]);
  const pets = join(dirname(file), 'pets.json');
  const servers = [{ url: 'https://{region}.example.com', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }];
  writeFileSync(pets, JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets' }, servers, paths: Object.fromEntries(operations) }));
  const args = ['import', '--org', orgId, '--kind', 'openapi', '--name', 'pets', '--file', pets];
  expect(await admin(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('TOO_MANY_ACTIONS') });
  const flags = ['--tag', 'cats', '--path', '/cats/1', '--path', '/cats/3', '--server-variable', 'region=us', '--on-change', 'block'];
  const { report } = JSON.parse((await admin(...args, ...flags)).stdout);
  // 612 odd numbers up to 2,000 begin with 1 or 3.
  expect(report).toMatchObject({ operations: 2001, imported: 612 });
  const { integration } = await api.must(200).get('/api/v1/integrations/pets');
  expect(integration).toMatchObject({ baseUrl: 'https://us.example.com', onChange: 'block' });
});

test.each([
  [['--name', 'Tasks', '--kind', 'declarative', '--file', file], '--name'],
  [['--name', 'tasks', '--kind', 'soap', '--file', file], '--kind'],
  [['--name', 'tasks', '--kind', 'declarative'], '--file'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', '/nowhere.json'], '--file'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', file, '--headers-file', file], '--headers-file'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', file, '--headers-file', list], '--headers-file'],
  [['--name', 'tasks', '--kind', 'openapi', '--url', 'https://a.example', '--server-variable', 'eu'], '--server-variable'],
  [['--name', 'tasks', '--kind', 'openapi', '--url', 'https://a.example', '--refresh-every', '59'], '--refresh-every'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', file, '--refresh-every', '60'], '--refresh-every'],
  [['--name', 'tasks', '--kind', 'openapi', '--url', 'https://a.example', '--on-change', 'ask'], '--on-change'],
])('import %j fails, and the error names the option', async (args, said) => {
  expect(await admin('import', ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tasksAt } from '../api/integrations/own/own-bed.ts';
import { aTenant } from '../support/tenant.ts';
import { admin } from './run-admin.ts';

const file = join(mkdtempSync(join(tmpdir(), 'gateway-import-')), 'tasks.json');
writeFileSync(file, JSON.stringify(tasksAt('https://api.example.com')));

test('import makes an integration of a file, which the API has', async () => {
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

test.each([
  [['--name', 'Tasks', '--kind', 'declarative', '--file', file], '--name'],
  [['--name', 'tasks', '--kind', 'soap', '--file', file], '--kind'],
  [['--name', 'tasks', '--kind', 'declarative'], '--file'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', '/nowhere.json'], '--file'],
  [['--name', 'tasks', '--kind', 'declarative', '--file', file, '--headers-file', file], '--headers-file'],
])('import %j says what is wrong', async (args, said) => {
  expect(await admin('import', ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
});

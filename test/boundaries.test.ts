import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who may import whom (docs/architecture.md). A folder that is not in the table is a mistake. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: ['domain'],
  infra: ['infra', 'domain', 'workflows/contract.ts'],
  store: ['store', 'domain', 'infra'],
  integrations: ['integrations', 'domain'],
  sandbox: ['sandbox', 'domain'],
  migrations: ['migrations', 'infra'],
  commands: ['commands', 'domain', 'store', 'integrations', 'sandbox', 'infra'],
  workflows: ['workflows', 'domain'],
  activities: ['activities', 'commands', 'domain', 'store'],
  worker: ['worker', 'activities', 'commands', 'infra', 'sandbox/open-sandbox.ts', 'workflows/contract.ts'],
  api: ['api', 'commands', 'domain', 'infra', 'integrations', 'store', 'migrations/migrate.ts'],
  standalone: ['standalone', 'commands', 'infra', 'store', 'domain', 'migrations'],
  demo: ['demo', 'infra', 'standalone/addresses.ts'],
  bench: ['bench', 'sandbox', 'standalone', 'infra', 'domain', 'commands', 'integrations', 'test/support'],
};

/** Types cost nothing at run time; these folders may name each other's. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  infra: ['commands/orchestrator.ts'],
  workflows: ['activities'],
  activities: ['sandbox', 'workflows/contract.ts'],
  integrations: ['infra'],
  sandbox: ['infra/logger.ts'],
};

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.includes('/') && !file.startsWith('test/') && existsSync(file));
const IMPORTS = FILES.flatMap(importsOf);

test('every import between folders is one that the table allows', () => {
  const broken = IMPORTS.filter(({ target }) => target.startsWith('.')).filter((item) => !isAllowed(item));
  expect(broken.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('domain is pure: it imports no package and no node: module', () => {
  expect(IMPORTS.filter(({ file, target }) => file.startsWith('domain/') && !target.startsWith('.'))).toEqual([]);
});

test('workflows import nothing but the workflow package and its common types', () => {
  const packages = IMPORTS.filter(({ file, target }) => file.startsWith('workflows/') && !target.startsWith('.')).map(
    ({ target }) => target,
  );
  expect(packages.filter((name) => name !== '@temporalio/workflow' && name !== '@temporalio/common')).toEqual([]);
});

test.each([
  ['isolated-vm', ['sandbox/']],
  ['@temporalio/client', ['infra/temporal.ts', 'infra/search-attributes.ts', 'infra/workflow-starts.ts']],
  ['undici', ['infra/outbound']],
  ['koa', ['api/']],
])('%s is known to one place', (name, places) => {
  const others = IMPORTS.filter(({ target }) => target === name || target.startsWith(`${name}/`)).filter(
    ({ file, typeOnly }) => !typeOnly && !file.startsWith('bench/') && !places.some((place) => file.startsWith(place)),
  );
  expect(others).toEqual([]);
});

test('only infra/config.ts reads the environment', () => {
  const readers = FILES.filter((file) => file !== 'infra/config.ts').filter((file) =>
    /process\.env\b(?!\.\w+ = )/.test(readFileSync(file, 'utf8')),
  );
  expect(readers).toEqual([]);
});

test('only store/ and migrations/ name tables in queries', () => {
  const tables = [
    'approvals',
    'api_keys',
    'mcp_servers',
    'mcp_tools',
    'calls',
    'code_runs',
    'outbox',
    'workspaces',
    'receipts',
    'approval_policies',
    'activity',
    'activity_seals',
  ];
  const query = new RegExp(
    `\\b(?:db|tx|knex)\\(\\s*['"](?:${tables.join('|')})\\b|\\b(?:from|into|update|join)\\s+(?:${tables.join('|')})\\b`,
  );
  const writers = FILES.filter((file) => !/^(store|migrations|bench)\//.test(file)).filter((file) =>
    query.test(readFileSync(file, 'utf8')),
  );
  expect(writers).toEqual([]);
});

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  const dynamic = source.matchAll(/\bimport\('([^']+)'\)/g);
  return [
    ...[...statements].map(([, type, target]) => ({ file, target: target!, typeOnly: Boolean(type) })),
    ...[...dynamic].map(([, target]) => ({ file, target: target!, typeOnly: false })),
  ];
}

function isAllowed({ file, target, typeOnly }: Import): boolean {
  const [folder] = file.split('/') as [string];
  const path = join(file, '..', target);
  const allowed = [...(MAY_IMPORT[folder] ?? []), ...(typeOnly ? (MAY_IMPORT_TYPES[folder] ?? []) : [])];
  return allowed.some((place) => path === place || path.startsWith(`${place}/`));
}

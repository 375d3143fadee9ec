import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PUBLIC_COMMANDS } from './public-commands.ts';

/** The folders and files that each folder may import (docs/architecture.md). */
const MAY_IMPORT: Record<string, string[]> = {
  domain: ['domain'],
  infra: ['infra', 'domain', 'workflows/contract.ts'],
  store: ['store', 'domain', 'infra'],
  integrations: ['integrations', 'domain', 'infra/event-loop'],
  sandbox: ['sandbox', 'domain', 'infra/concurrency/fair-scheduler.ts'],
  migrations: ['migrations', 'infra'],
  commands: ['commands', 'domain', 'store', 'integrations', 'sandbox', 'infra'],
  composition: ['composition', 'commands', 'infra', 'store', 'integrations', 'domain'],
  workflows: ['workflows', 'domain'],
  activities: ['activities', 'commands', 'domain', 'store'],
  worker: ['worker', 'activities', 'commands', 'composition', 'infra', 'sandbox/host/open-sandbox.ts', 'workflows/contract.ts'],
  api: ['api', 'commands', 'composition', 'domain', 'infra', 'integrations', 'store', 'migrations/migrate.ts'],
  standalone: ['standalone', 'commands', 'composition', 'infra', 'store', 'domain', 'migrations'],
  demo: ['demo', 'infra', 'standalone/addresses.ts'],
  'provider-kit': ['provider-kit', 'integrations', 'infra', 'domain'],
  bench: ['bench', 'sandbox', 'standalone', 'infra', 'domain', 'commands', 'composition', 'integrations', 'test/support'],
};

/** Additional imports of types, which cost nothing at run time. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  infra: ['commands/orchestrator.ts'],
  workflows: ['activities'],
  activities: ['sandbox', 'workflows/contract.ts'],
  integrations: ['infra'],
  sandbox: ['infra/logger.ts'],
};

const ENTRY_POINTS = ['api/', 'activities/', 'worker/', 'standalone/admin/'];

const MAX_FILES_IN_FOLDER = 40;
const MAX_LINES = 250;

/** Folders with one file per table, migration, decision or provider. */
const MAY_HOLD_MORE_FILES =
  /^(store|migrations|docs\/(decisions|providers)|integrations\/providers|test\/integrations\/providers\/(examples|facts))$/;

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
}

const SOURCES = filesOf('*.ts');
const FILES = SOURCES.filter((file) => file.includes('/') && !file.startsWith('test/'));
const IMPORTS = FILES.flatMap(importsOf);

test('every import between folders is allowed by the tables above', () => {
  const broken = IMPORTS.filter(({ target }) => target.startsWith('.')).filter((item) => !isAllowed(item));
  expect(broken.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('other folders import each public command, and no internal command', () => {
  const used = IMPORTS.filter(({ file }) => !file.startsWith('bench/'))
    .map(({ file, target }) => ({
      file,
      target: join(file, '..', target),
      folder: /^commands\/[^/]+(?=\/)/.exec(join(file, '..', target))?.[0],
    }))
    .filter(({ file, folder }) => folder !== undefined && !file.startsWith(`${folder}/`));
  const listed = Object.entries(PUBLIC_COMMANDS).flatMap(([folder, names]) =>
    names.split(' ').map((name) => `commands/${folder}/${name}.ts`),
  );
  const internal = used.filter(({ target }) => !listed.includes(target)).map(({ file, target }) => `${file} imports ${target}`);
  const unused = listed.filter((file) => !used.some(({ target }) => target === file));
  expect({ internal, unused }).toEqual({ internal: [], unused: [] });
});

test('no import cycles, types included', () => {
  expect(importCycles(new Map(SOURCES.map((file) => [file, importsOf(file).map(({ target }) => join(file, '..', target))])))).toEqual([]);
});

test('the check for cycles finds import cycles of any length', () => {
  const imports = { a: ['b'], b: ['a', 'c'], c: ['d', 'package'], d: ['e'], e: ['c'], f: ['a', 'f'], g: ['a'] };
  expect(importCycles(new Map(Object.entries(imports)))).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
});

test(`no folder directly contains more than ${MAX_FILES_IN_FOLDER} files`, () => {
  const counts = Map.groupBy(filesOf(), dirname);
  const full = [...counts].filter(([folder, { length }]) => length > MAX_FILES_IN_FOLDER && !MAY_HOLD_MORE_FILES.test(folder));
  expect(full.map(([folder, { length }]) => `${folder}: ${length} files`)).toEqual([]);
});

test(`no file has more than ${MAX_LINES} lines`, () => {
  const lengths = filesOf('*.ts', '*.mts', '*.eta', '*.css').map((file) => ({
    file,
    lines: readFileSync(file, 'utf8').split('\n').length - 1,
  }));
  const long = lengths.filter(({ lines }) => lines > MAX_LINES).map(({ file }) => file);
  expect(long).toEqual([]);
});

test('entry points import only reading functions and error classes from store/', () => {
  const taken = FILES.filter((file) => ENTRY_POINTS.some((folder) => file.startsWith(folder))).flatMap((file) =>
    valuesFrom(file, /(?:\.\.\/)+store\/[^']+/).map((name) => ({ file, name })),
  );
  expect(taken.length).toBeGreaterThan(20);
  // `dataKeys` is allowed, because entry points open the vault with it.
  expect(taken.filter(({ name }) => !/^(find|list|page|count|dataKeys$|[A-Z]\w*Error$)/.test(name))).toEqual([]);
});

test('domain imports no package and no node: module', () => {
  expect(IMPORTS.filter(({ file, target }) => file.startsWith('domain/') && !target.startsWith('.'))).toEqual([]);
});

test('workflows import no package but @temporalio/workflow and @temporalio/common', () => {
  const packages = IMPORTS.filter(({ file, target }) => file.startsWith('workflows/') && !target.startsWith('.')).map(
    ({ target }) => target,
  );
  expect(packages.filter((name) => name !== '@temporalio/workflow' && name !== '@temporalio/common')).toEqual([]);
});

test.each([
  ['isolated-vm', ['sandbox/']],
  [
    '@temporalio/client',
    [
      'infra/temporal.ts',
      'infra/temporal-clients.ts',
      'infra/temporal-connection.ts',
      'infra/temporal-errors.ts',
      'infra/search-attributes.ts',
      'infra/workflow-starts.ts',
    ],
  ],
  ['cockatiel', ['infra/circuit-breaker.ts', 'infra/concurrency/retry.ts']],
  ['undici', ['infra/outbound']],
  ['koa', ['api/']],
])('%s is imported only where listed, except for types', (name, places) => {
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

function filesOf(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(file));
}

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  const dynamic = source.matchAll(/\bimport\('([^']+)'\)/g);
  return [
    ...[...statements].map(([, type, target]) => ({ file, target: target!, typeOnly: Boolean(type) })),
    ...[...dynamic].map(([, target]) => ({ file, target: target!, typeOnly: false })),
  ];
}

function valuesFrom(file: string, module: RegExp): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(new RegExp(`^import \\{([^}]*)\\} from '${module.source}'`, 'gm'));
  const names = [...imports].flatMap(([, list]) => list!.split(',').map((name) => name.trim()));
  return names.filter((name) => name !== '' && !name.startsWith('type '));
}

function isAllowed({ file, target, typeOnly }: Import): boolean {
  const [folder] = file.split('/') as [string];
  const path = join(file, '..', target);
  const allowed = [...(MAY_IMPORT[folder] ?? []), ...(typeOnly ? (MAY_IMPORT_TYPES[folder] ?? []) : [])];
  return allowed.some((place) => path === place || path.startsWith(`${place}/`));
}

/** A cycle is a group of files that reach each other, or one file that imports itself. */
function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]));
  const cycles = [...reached].map(([file, others]) => [...others].filter((other) => reached.get(other)?.has(file)).sort());
  return [...new Map(cycles.filter(({ length }) => length > 0).map((cycle) => [cycle.join(), cycle])).values()];
}

function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [file];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const target of imports.get(at) ?? []) {
      if (reached.has(target) || !imports.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  }
  return reached;
}

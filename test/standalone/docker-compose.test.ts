import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VARIABLES } from '../../infra/config.ts';

type Service = {
  build?: string;
  command?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  configs?: { source: string }[];
  deploy?: { replicas: number };
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown>; configs: Record<string, unknown> };

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);

test('the image of this repository runs all our services, with two workers', () => {
  expect(ours.map(([name, { build, command }]) => [name, build, command])).toEqual([
    ['operator-ui', '.', ['node', 'standalone/temporal-ui-main.ts']],
    ['migrate', '.', ['node', 'migrations/main.ts']],
    ['api', '.', ['node', 'api/main.ts']],
    ['worker', '.', ['node', 'worker/main.ts']],
  ]);
  expect(compose.services.worker?.deploy?.replicas).toBe(2);
});

test.each(ours)('the service reads every variable that %s sets', (_, { environment }) => {
  expect(Object.keys(environment ?? {}).filter((name) => !(name in VARIABLES))).toEqual([]);
});

test('four secrets are required and have no defaults', () => {
  for (const secret of ['POSTGRES_PASSWORD', 'ENCRYPTION_KEYS', 'TOKEN_PEPPER', 'RECEIPT_SIGNING_KEY']) {
    expect(text).toContain(`\${${secret}:?set ${secret} in .env`);
    expect(text).not.toContain(`\${${secret}:-`);
  }
});

test('every path in the compose file and in the Dockerfile exists', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));
  const run = [...`${text}${dockerfile}`.matchAll(/"node", "([\w/.-]+\.ts)"/g)].map(([, path]) => path!);
  const paths = [...ours.map(([, { build }]) => build!), 'Dockerfile', ...copied, ...run];
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(run).toContain('worker/main.ts');
});

test('every service, volume or config that the file refers to exists', () => {
  const awaited = services.flatMap(([, { depends_on }]) => Object.keys(depends_on ?? {}));
  const volumes = services.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0]!);
  const configs = services.flatMap(([, service]) => service.configs ?? []).map(({ source }) => source);
  expect(awaited.filter((name) => !(name in compose.services))).toEqual([]);
  expect(volumes.filter((name) => !(name in compose.volumes))).toEqual([]);
  expect(configs.filter((name) => !(name in compose.configs))).toEqual([]);
  expect(awaited.length + volumes.length + configs.length).toBeGreaterThan(8);
});

test('only our services publish ports, and only on this machine', () => {
  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
  expect(published).toEqual([
    ['operator-ui', '127.0.0.1:8233:8233'],
    ['api', '127.0.0.1:8080:8080'],
  ]);
  expect(compose.services['temporal-ui']?.environment).toEqual({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const dynamic = parse((compose.configs['temporal-dynamic'] as { content: string }).content);
  expect(dynamic['frontend.httpAllowedHosts']).toEqual([{ value: ['%'] }]);
  expect(URL.parse('http://%/')).toBeNull();
});

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createOrg } from '../../commands/access/create-org.ts';
import { childEnvironment } from '../../infra/config.ts';
import { openDatabase } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { openVault } from '../../infra/vault.ts';
import { openDataFolder } from '../../standalone/data-folder.ts';
import { freePort } from '../../standalone/free-port.ts';
import { keepSecrets } from '../../standalone/secrets.ts';
import { dataKeys } from '../../store/data-keys.ts';
import { cloneDatabase, temporalAddress } from '../support/system.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-problems-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a busy port ends the start, and the message names the port and a solution', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const { code, errors } = await start({ PORT: String(port), DATA_DIR: join(folder, 'data') });
  holder.close();
  expect(code).toBe(1);
  expect(errors).toBe(
    `Port ${port} on 127.0.0.1 is taken by another program. Stop that one, or choose another port, such as PORT=${port + 1} npm start.\n`,
  );
});

test('a mail server without a sender address ends the start', async () => {
  const { code, errors } = await start({ SMTP_URL: 'smtp://mail.example.com', DATA_DIR: join(folder, 'data') });
  expect(code).toBe(1);
  expect(errors).toMatch(/MAIL_FROM: is needed with SMTP_URL/);
});

test('the host address of another machine ends the start, and the message names the address', async () => {
  const { code, errors } = await start({ HOST: '192.0.2.1', PORT: '8080', DATA_DIR: join(folder, 'data') });
  expect(code).toBe(1);
  expect(errors).toMatch(/^The API cannot listen on HOST=192\.0\.2\.1, PORT=8080 \(EADDRNOTAVAIL\)\. Set HOST .*\.\n$/);
});

test('an unusable data folder ends the start, and the message names the folder and a solution', async () => {
  writeFileSync(join(folder, 'a-file'), '');
  const { code, errors } = await start({ DATA_DIR: join(folder, 'a-file', 'data') });
  expect(code).toBe(1);
  expect(errors).toMatch(/^The data folder .*a-file\/data cannot be used by the user \S+ \(ENOTDIR\)\. .*set DATA_DIR to another one\.\n$/);
});

test('a data folder that another instance uses is refused', async () => {
  const other = await openDataFolder(join(folder, 'data'), () => {});
  const refused = await start({ DATA_DIR: join(folder, 'data') });
  other.release();
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(new RegExp(`is in use by another running instance \\(process ${process.pid}\\)\\. Stop that one`));
});

test('a wrong variable ends the start, and the message names the variable', async () => {
  const { code, errors } = await start({ PORT: 'eighty' });
  expect(code).toBe(1);
  expect(errors).toMatch(/^The environment is not right\. PORT: .*\n$/);
});

test('a Node version that is too old ends the start', async () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' }); await import('${join(ROOT, 'standalone/require-node.mjs')}'); console.error('went on')`;
  const { code, errors } = await run(['--input-type=module', '-e', pretend], {});
  expect(code).toBe(1);
  expect(errors).toMatch(/^Node 20\.19\.0 is too old: 24 or later is needed\. Run npm ci .*\n$/);
});

test('secrets are created once, only the owner can read them, and configured secrets take precedence', () => {
  const made = keepSecrets(folder, {});
  expect(Buffer.from(made.ENCRYPTION_KEYS.split(':')[1]!, 'base64')).toHaveLength(32);
  expect(made.TOKEN_PEPPER.length).toBeGreaterThanOrEqual(32);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(keepSecrets(folder, {})).toEqual(made);
  expect(keepSecrets(folder, { TOKEN_PEPPER: 'given' })).toEqual({ ...made, TOKEN_PEPPER: 'given' });
});

test('new secrets are never created for existing data', async () => {
  const { path } = await openDataFolder(join(folder, 'data'), () => {});
  writeFileSync(join(path, 'postgres'), 'stands for a cluster');
  expect(() => keepSecrets(path, { TOKEN_PEPPER: 'given' })).toThrow(
    /^ENCRYPTION_KEYS of the data in .* is missing: restore .*secrets\.json from a backup/,
  );
});

test('encryption keys that do not fit the database end the start', async () => {
  const database = await cloneDatabase();
  const db = openDatabase({ url: database.url, name: 'start-problems' });
  const vault = openVault(`first:${randomBytes(32).toString('base64')}`, dataKeys);
  const { orgId } = await createOrg({ db, tokens: openTokens('p'.repeat(32)) }, 'Kept');
  await vault.seal(db, { orgId, workspaceId: null, table: 'oauth_apps', column: 'sealed_client_secret', rowId: 'row' }, 'kept');
  await db.destroy();
  const { code, errors } = await start({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: await temporalAddress(),
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort(0)),
  });
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^ENCRYPTION_KEYS: the key "first" is not the one that data of the organization /),
  ]);
  await database.drop();
});

async function start(variables: Parameters<typeof childEnvironment>[0]) {
  return run([join(ROOT, 'standalone/main.ts')], variables);
}

async function run(args: string[], variables: Parameters<typeof childEnvironment>[0]): Promise<{ code: number; errors: string }> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: childEnvironment(variables) as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, errors };
}

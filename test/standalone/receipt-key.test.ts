import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../infra/config.ts';
import { openReceiptKey } from '../../infra/receipt-keys.ts';
import { keepSecrets, replaceReceiptKey } from '../../standalone/secrets.ts';
import { insertReceiptKey, listPublicReceiptKeys } from '../../store/receipt-keys.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { aReceiptKey } from '../support/receipts.ts';
import { cloneDatabase } from '../support/system.ts';
import { runAdmin } from './run-admin.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
const kept = () => JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-receipt-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(script: string, args: string[], variables: Parameters<typeof childEnvironment>[0]) {
  const env = childEnvironment(variables) as NodeJS.ProcessEnv;
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [join(ROOT, script), ...args], { env, cwd: ROOT })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test('the first start creates a valid key, which only the owner can read', () => {
  expect(() => openReceiptKey(keepSecrets(folder, {}).RECEIPT_SIGNING_KEY)).not.toThrow();
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
});

test('a data folder of an earlier version gets a key, and keeps everything else', () => {
  const { RECEIPT_SIGNING_KEY: _, ...earlier } = keepSecrets(folder, {});
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(earlier), { mode: 0o600 });
  writeFileSync(join(folder, 'postgres'), 'stands for a cluster');
  const now = keepSecrets(folder, {});
  expect(now).toEqual({ ...earlier, RECEIPT_SIGNING_KEY: expect.any(String) });
  expect([kept(), keepSecrets(folder, {})]).toEqual([now, now]);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
});

test('replacing the key leaves the other secrets unchanged', () => {
  const before = keepSecrets(folder, {});
  replaceReceiptKey(folder);
  const after = keepSecrets(folder, {});
  expect(after).toEqual({ ...before, RECEIPT_SIGNING_KEY: expect.any(String) });
  expect(after.RECEIPT_SIGNING_KEY).not.toBe(before.RECEIPT_SIGNING_KEY);
});

test('rotate-receipt-key replaces the stored key, says that a restart is needed, and prints no key', async () => {
  const before = keepSecrets(folder, {});
  const { code, stdout, stderr } = await runAdmin({ DATA_DIR: folder }, ['rotate-receipt-key']);
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('It is used from the next start of the service')]);
  expect(kept().RECEIPT_SIGNING_KEY).not.toBe(before.RECEIPT_SIGNING_KEY);
  expect(stdout).not.toContain(kept().RECEIPT_SIGNING_KEY);
});

test.each([
  ['RECEIPT_SIGNING_KEY is set', ['rotate-receipt-key'], { RECEIPT_SIGNING_KEY: 'x' }, 'RECEIPT_SIGNING_KEY is set and takes precedence'],
  ['no key is stored', ['rotate-receipt-key'], {}, 'has no secrets'],
  ['no key is named', ['revoke-receipt-key'], {}, 'KID must be the kid'],
  ['the argument is not a key id', ['revoke-receipt-key', '--all'], {}, 'KID must be the kid'],
])('if %s, a command for keys fails with a message and exit code 1', async (_, args, variables, message) => {
  const { code, stdout, stderr } = await runAdmin({ DATA_DIR: folder, ...variables }, args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
});

test('revoke-receipt-key removes a former key, refuses to remove the current key, and can be repeated', async () => {
  const database = await cloneDatabase();
  const db = patientDatabase(database.url);
  const [former, present] = [aReceiptKey().publicKey, aReceiptKey().publicKey];
  for (const key of [former, present]) await insertReceiptKey(db, key);
  const revoke = (kid: string) => runAdmin({ DATABASE_URL: database.url }, ['revoke-receipt-key', kid]);
  for (let times = 0; times < 2; times += 1)
    expect(await revoke(former.kid)).toMatchObject({ code: 0, stdout: expect.stringContaining(`The key ${former.kid} is revoked`) });
  expect(await revoke(present.kid)).toMatchObject({ code: 1, stderr: expect.stringContaining('Receipts are signed under') });
  await insertReceiptKey(db, former);
  expect(await listPublicReceiptKeys(db)).toEqual([present]);
  await db.destroy();
  await database.drop();
});

test.each(['variable', 'data folder'])(
  'revoke-receipt-key finds the current key by the %s, also after a return to a former key',
  async (place) => {
    const database = await cloneDatabase();
    const db = patientDatabase(database.url);
    const { RECEIPT_SIGNING_KEY } = keepSecrets(folder, {});
    const [present, left] = [openReceiptKey(RECEIPT_SIGNING_KEY).publicKey, aReceiptKey().publicKey];
    for (const key of [present, left, present]) await insertReceiptKey(db, key);
    const variables = { DATABASE_URL: database.url, ...(place === 'variable' ? { RECEIPT_SIGNING_KEY } : { DATA_DIR: folder }) };
    const revoke = (kid: string) => runAdmin(variables, ['revoke-receipt-key', kid]);
    expect(await revoke(present.kid)).toMatchObject({ code: 1, stderr: expect.stringContaining('Receipts are signed under') });
    expect(await revoke(left.kid)).toMatchObject({ code: 0 });
    expect(await listPublicReceiptKeys(db)).toEqual([present]);
    await db.destroy();
    await database.drop();
  },
);

test('revoke-receipt-key keeps the key of a service that has not been restarted since the rotation', async () => {
  const database = await cloneDatabase();
  const db = patientDatabase(database.url);
  const { publicKey } = openReceiptKey(keepSecrets(folder, {}).RECEIPT_SIGNING_KEY);
  await insertReceiptKey(db, publicKey);
  replaceReceiptKey(folder);
  const { code, stderr } = await runAdmin({ DATABASE_URL: database.url, DATA_DIR: folder }, ['revoke-receipt-key', publicKey.kid]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Receipts are signed under')]);
  await db.destroy();
  await database.drop();
});

test('an admin command names the secret that is missing', async () => {
  const { RECEIPT_SIGNING_KEY: _, ...others } = keepSecrets(folder, {});
  rmSync(join(folder, 'secrets.json'));
  const database = await cloneDatabase();
  const { code, stderr } = await runAdmin({ DATABASE_URL: database.url, DATA_DIR: folder, ...others }, ['setup-link']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('RECEIPT_SIGNING_KEY is not set')]);
  await database.drop();
});

describe.each(['api/main.ts', 'worker/main.ts'])('%s', (script) => {
  const others = { DATABASE_URL: 'postgres://127.0.0.1:1/x', TEMPORAL_ADDRESS: '127.0.0.1:1', PORT: '0' };
  test.each([
    ['no key', '', /^RECEIPT_SIGNING_KEY is not set\. Set it, or use npm start, which creates it\. .*\n$/],
    ['a short key', Buffer.alloc(16, 7).toString('base64'), /^RECEIPT_SIGNING_KEY must be base64 of exactly 32 bytes\. .*\n$/],
    ['a sample', Buffer.alloc(32).toString('base64'), /^RECEIPT_SIGNING_KEY is a sample\. .*\n$/],
  ])('with %s, the process does not start and states the problem', async (_, RECEIPT_SIGNING_KEY, sentence) => {
    const { ENCRYPTION_KEYS, TOKEN_PEPPER } = keepSecrets(folder, {});
    const { code, stderr } = await run(script, [], { ...others, ENCRYPTION_KEYS, TOKEN_PEPPER, RECEIPT_SIGNING_KEY });
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createOrg } from '../../../commands/access/create-org.ts';
import { childEnvironment } from '../../../infra/config.ts';
import { type Db, openDatabase } from '../../../infra/database.ts';
import { openTokens } from '../../../infra/tokens.ts';
import { openVault } from '../../../infra/vault.ts';
import { runCommand } from '../../../standalone/admin/run-command.ts';
import { dataKeys } from '../../../store/data-keys.ts';
import { cloneDatabase } from '../../support/system.ts';
import { until } from '../../support/until.ts';

const ADMIN = join(import.meta.dirname, '../../../standalone/admin.ts');
const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeEach(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, name: 'rotation-test' });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

async function sealSecrets(keys: string, count: number) {
  const vault = openVault(keys, dataKeys);
  const sealed = [];
  for (let index = 0; index < count; index += 1) {
    const { orgId } = await createOrg({ db, tokens: openTokens('p'.repeat(32)) }, `Org ${index}`);
    const columns = { connections: 'sealed_credentials', webhook_endpoints: 'sealed_secret' };
    for (const [table, column] of Object.entries(columns)) {
      const [place, text] = [{ orgId, workspaceId: null, table, column, rowId: 'row' }, `secret ${orgId}`];
      sealed.push({ place, text, value: await vault.seal(db, place, text) });
    }
  }
  return sealed;
}

async function expectToOpen(keys: string, secrets: Awaited<ReturnType<typeof sealSecrets>>): Promise<void> {
  const vault = openVault(keys, dataKeys);
  const opened = [];
  for (const { place, value } of secrets) opened.push(await vault.open(db, place, value));
  expect(opened).toEqual(secrets.map(({ text }) => text));
}

const environment = (keys: string) => childEnvironment({ DATABASE_URL: database.url, ENCRYPTION_KEYS: keys }) as NodeJS.ProcessEnv;

const rotate = (keys: string) => runCommand(['rotate-encryption-key'], environment(keys));

async function countUnder(kekId: string): Promise<number> {
  return Number((await db('data_keys').where({ kek_id: kekId }).count({ total: '*' }).first())!.total);
}

test('a rotation that was killed can be completed while the service runs', async () => {
  const secrets = await sealSecrets(OLD, 8);
  const orgIds = [...new Set(secrets.map(({ place }) => place.orgId))].sort();
  const use = useMeanwhile(`${NEW},${OLD}`, secrets);

  const locked = await lockDataKey(orgIds[5]!);
  const killed: ChildProcess = spawn(process.execPath, [ADMIN, 'rotate-encryption-key'], {
    env: environment(`${NEW},${OLD}`),
    stdio: 'ignore',
  });
  await locked.untilBlocked();
  expect([await countUnder('new'), await countUnder('old')]).toEqual([5, 3]);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await locked.endWaitersAndRelease();

  await expectToOpen(`${NEW},${OLD}`, secrets);
  expect(await rotate(`${NEW},${OLD}`)).toEqual({
    code: 0,
    stdout: 'Everything is encrypted with the key "new": 3 data keys were rewrapped, 5 already used it.\n',
    stderr: '',
  });
  const sealedMeanwhile = await use.stop();
  expect(sealedMeanwhile.length).toBeGreaterThan(0);
  await expectToOpen(NEW, [...secrets, ...sealedMeanwhile]);
  await expect(expectToOpen(OLD, secrets)).rejects.toThrow('ENCRYPTION_KEYS lacks the key "new"');
});

test('two concurrent rotations rewrap each data key once', async () => {
  const secrets = await sealSecrets(OLD, 30);
  const answers = await Promise.all([rotate(`${NEW},${OLD}`), rotate(`${NEW},${OLD}`)]);
  const done = answers.map(({ stdout }) => Number(/(\d+) data keys were rewrapped/.exec(stdout)![1]));
  expect(done[0]! + done[1]!).toBe(30);
  await expectToOpen(NEW, secrets);
});

test('a rotation that has nothing to do reports zero rewrapped keys', async () => {
  await sealSecrets(NEW, 2);
  expect((await rotate(`${NEW},${OLD}`)).stdout).toContain('0 data keys were rewrapped, 2 already used it');
});

test("a rotation that lacks a key changes nothing and names only the key's id", async () => {
  await sealSecrets(OLD, 2);
  const third = `third:${randomBytes(32).toString('base64')}`;
  const secrets = await sealSecrets(third, 1);
  const before = await db('data_keys').orderBy('org_id');
  const { code, stdout, stderr } = await rotate(`${NEW},${third}`);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('"old" (2 of the organizations)');
  expect(stderr).not.toContain('third');
  for (const key of [NEW, third]) expect(stderr).not.toContain(key.split(':')[1]);
  expect(await db('data_keys').orderBy('org_id')).toEqual(before);
  await expectToOpen(third, secrets);
});

test("a different key under the old key's id is refused", async () => {
  await sealSecrets(OLD, 1);
  const { code, stderr } = await rotate(`${NEW},old:${randomBytes(32).toString('base64')}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^ENCRYPTION_KEYS: the key "old" is not the one that data of the organization .* is encrypted under\.\n$/);
});

/**
 * Encrypts and decrypts secrets in a loop, as a running service does. Each round opens a new vault,
 * as a new process does.
 */
function useMeanwhile(keys: string, secrets: Awaited<ReturnType<typeof sealSecrets>>) {
  const sealed: typeof secrets = [];
  let isStopped = false;
  const loop = (async () => {
    for (let round = 0; !isStopped; round += 1) {
      const vault = openVault(keys, dataKeys);
      const { place, text, value } = secrets[round % secrets.length]!;
      if ((await vault.open(db, place, value)) !== text) throw new Error('the decrypted text is wrong');
      const rowId = `row ${round}`;
      sealed.push({ place: { ...place, rowId }, text: rowId, value: await vault.seal(db, { ...place, rowId }, rowId) });
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await loop;
      return sealed;
    },
  };
}

/** Locks one data key, so that a rotation blocks before it rewraps this key. */
async function lockDataKey(orgId: string) {
  const tx = await db.transaction();
  await tx('data_keys').where({ org_id: orgId }).forUpdate();
  const ofThisDatabase = { datname: db.raw('current_database()'), application_name: 'gateway-admin' };
  const waiting = () => db('pg_stat_activity').where({ ...ofThisDatabase, wait_event_type: 'Lock' });
  return {
    untilBlocked: async () => {
      await until(async () => (await waiting()).length > 0);
    },
    endWaitersAndRelease: async () => {
      await waiting().select(db.raw('pg_terminate_backend(pid)'));
      await until(async () => (await waiting()).length === 0);
      await tx.rollback();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { createOrg } from '../../commands/access/create-org.ts';
import { SetupError } from '../../infra/config.ts';
import { type Db, openDatabase } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { type DataKey, isSealedWithoutWorkspace, openVault, type SealedPlace } from '../../infra/vault.ts';
import { dataKeys } from '../../store/data-keys.ts';
import { sealedBefore } from '../support/sealed-before.ts';
import { cloneDatabase } from '../support/system.ts';

const newKey = () => randomBytes(32).toString('base64');
const KEYS = `one:${newKey()}`;
const WORKSPACE = '11111111-1111-4111-8111-111111111111';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = openDatabase({ url: database.url, name: 'vault-test' });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function aPlace(): Promise<SealedPlace> {
  const { orgId } = await createOrg({ db, tokens: openTokens('p'.repeat(32)) }, 'Vault');
  return { orgId, workspaceId: WORKSPACE, table: 'connections', column: 'sealed_credentials', rowId: 'row' };
}

test('a sealed value opens in another vault with the same keys, and the ciphertext hides the value', async () => {
  const place = await aPlace();
  const sealed = await openVault(KEYS, dataKeys).seal(db, place, 'hunter2 🗝');
  expect(sealed.toString('latin1')).not.toContain('hunter2');
  expect(await openVault(KEYS, dataKeys).open(db, place, sealed)).toBe('hunter2 🗝');
});

test('sealing the same text twice gives two ciphertexts', async () => {
  const [place, vault] = [await aPlace(), openVault(KEYS, dataKeys)];
  expect(await vault.seal(db, place, 'x')).not.toEqual(await vault.seal(db, place, 'x'));
});

test('a ciphertext with a flipped bit in any byte, or truncated anywhere, does not open', async () => {
  const [place, vault] = [await aPlace(), openVault(KEYS, dataKeys)];
  const sealed = await vault.seal(db, place, 'secret');
  for (let index = 0; index < sealed.length; index += 1) {
    const flipped = Buffer.from(sealed);
    flipped[index]! ^= 1;
    await expect(vault.open(db, place, flipped)).rejects.toThrow();
    await expect(vault.open(db, place, sealed.subarray(0, index))).rejects.toThrow();
  }
});

test('a ciphertext opens only in its own row, column, table, workspace and organization', async () => {
  const [place, other, vault] = [await aPlace(), await aPlace(), openVault(KEYS, dataKeys)];
  const sealed = await vault.seal(db, place, 'secret');
  const moves: Partial<SealedPlace>[] = [
    { rowId: 'other' },
    { column: 'other' },
    { table: 'webhook_endpoints' },
    { workspaceId: WORKSPACE.replace('1', '2') },
    { workspaceId: null },
    { workspaceId: '' },
    { orgId: other.orgId },
  ];
  for (const move of moves) await expect(vault.open(db, { ...place, ...move }, sealed)).rejects.toThrow();
});

test('an organization-wide ciphertext opens in no workspace', async () => {
  const [place, vault] = [{ ...(await aPlace()), workspaceId: null }, openVault(KEYS, dataKeys)];
  const sealed = await vault.seal(db, place, 'secret');
  expect(await vault.open(db, place, sealed)).toBe('secret');
  for (const workspaceId of [WORKSPACE, '', 'null']) await expect(vault.open(db, { ...place, workspaceId }, sealed)).rejects.toThrow();
});

test('a value opens only in the format version in which it was sealed', async () => {
  const [place, vault] = [await aPlace(), openVault(KEYS, dataKeys)];
  const sealed = await vault.seal(db, place, 'secret');
  expect(isSealedWithoutWorkspace(sealed)).toBe(false);
  const former = await sealedBefore(db, KEYS, place, 'former');
  expect(isSealedWithoutWorkspace(former)).toBe(true);
  expect(await vault.open(db, place, former)).toBe('former');
  for (const [value, format] of [
    [sealed, 1],
    [former, 2],
    [sealed, 0],
    [sealed, 3],
  ] as const) {
    const relabelled = Buffer.concat([Buffer.from([format]), value.subarray(1)]);
    await expect(vault.open(db, place, relabelled)).rejects.toThrow();
  }
});

test('a data key opens only for its own organization and under its own key', async () => {
  const [place, other] = [await aPlace(), await aPlace()];
  const vault = openVault(KEYS, dataKeys);
  for (const { orgId } of [place, other]) await vault.seal(db, { ...place, orgId }, 'secret');
  const moved: DataKey = { ...(await dataKeys.find(db, place.orgId))!, orgId: other.orgId };
  expect(() => vault.rewrap(moved)).toThrow(SetupError);
  const impostor = openVault(`one:${newKey()}`, dataKeys);
  await expect(impostor.seal(db, place, 'x')).rejects.toThrow(/the key "one" is not the one that data of the organization/);
});

test("vaults that create an organization's first data key concurrently get the same key", async () => {
  const place = await aPlace();
  const vaults = Array.from({ length: 8 }, () => openVault(KEYS, dataKeys));
  const sealed = await Promise.all(vaults.map((vault, index) => vault.seal(db, place, `text ${index}`)));
  for (const vault of vaults)
    expect(await Promise.all(sealed.map((value) => vault.open(db, place, value)))).toEqual(sealed.map((_, index) => `text ${index}`));
});

test('a data key from a rolled back transaction is not used after the rollback', async () => {
  const [place, vault] = [await aPlace(), openVault(KEYS, dataKeys)];
  const failed = db.transaction(async (tx) => {
    await vault.seal(tx, place, 'lost');
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  const sealed = await vault.seal(db, place, 'kept');
  expect(await openVault(KEYS, dataKeys).open(db, place, sealed)).toBe('kept');
});

test('data keys are cached, up to a limit', async () => {
  const reads: string[] = [];
  const store = new Map<string, DataKey>();
  const vault = openVault(KEYS, {
    find: async (_, orgId) => {
      reads.push(orgId);
      return store.get(orgId);
    },
    insert: async (_, key) => {
      store.set(key.orgId, key);
      return key;
    },
  });
  const seal = (orgId: string) => vault.seal(db, { orgId, workspaceId: null, table: 't', column: 'c', rowId: 'r' }, 'x');
  await seal('first');
  await seal('first');
  expect(reads).toEqual(['first']);
  for (let index = 0; index < 1000; index += 1) await seal(`org ${index}`);
  await seal('first');
  expect(reads.filter((orgId) => orgId === 'first')).toHaveLength(2);
});

test('a value opens with a key in second place, and the error for a missing key names its id', async () => {
  const [old, place] = [KEYS.split(':')[1]!, await aPlace()];
  const sealed = await openVault(KEYS, dataKeys).seal(db, place, 'secret');
  expect(await openVault(`two:${newKey()},one:${old}`, dataKeys).open(db, place, sealed)).toBe('secret');
  const without = openVault(`two:${newKey()}`, dataKeys).open(db, place, sealed);
  await expect(without).rejects.toThrow(/^ENCRYPTION_KEYS lacks the key "one"/);
});

test.each([
  ['an empty text', ''],
  ['a key without an id', newKey()],
  ['a short key', `one:${randomBytes(31).toString('base64')}`],
  ['a long key', `one:${randomBytes(33).toString('base64')}`],
  ['a key that is not base64', `one:${'!'.repeat(44)}`],
  ['a sample', `one:${Buffer.alloc(32).toString('base64')}`],
  ['a sample in second place', `${KEYS},two:${Buffer.alloc(32, 1).toString('base64')}`],
  ['the same id twice', `${KEYS},one:${newKey()}`],
  ['a comma at the end', `${KEYS},`],
])('%s is refused as ENCRYPTION_KEYS, and the message quotes no key', (_, text) => {
  const open = () => openVault(text, dataKeys);
  expect(open).toThrow(SetupError);
  try {
    open();
  } catch (error) {
    for (const key of text.split(/[:,]/).filter((part) => part.length > 20)) expect((error as Error).message).not.toContain(key);
  }
});

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createApiKey } from '../commands/create-api-key.ts';
import { createOrg } from '../commands/create-org.ts';
import { type Rotation, rotateEncryptionKey } from '../commands/rotate-encryption-key.ts';
import { type Config, readConfig, SetupError } from '../infra/config.ts';
import { type Db, isDatabaseAway, openDatabase } from '../infra/database.ts';
import { openTokens, type Tokens } from '../infra/tokens.ts';
import { openVault, type Vault } from '../infra/vault.ts';
import { dataKeys } from '../store/data-keys.ts';
import { findFirstOrg, findOrg } from '../store/orgs.ts';
import { listKnownWorkspaceIds } from '../store/workspaces.ts';
import { findRunningDatabase, reachDatabase } from './reach-database.ts';
import { keepSecrets, type Secrets } from './secrets.ts';

const USAGE = `Usage: npm run --silent admin -- COMMAND
  create-key --name NAME [--org ID] [--workspaces ID,ID] [--decide] [--expires-in SECONDS]
  create-org --name NAME
  database-url
  rotate-encryption-key`;

const MAX_LIFETIME_SECONDS = 100 * 365 * 86_400;

/** npm run --silent admin -- …: what an operator does by hand (decisions section 6). Only the answer goes to stdout. */
async function main(): Promise<void> {
  const [command, ...args] = process.argv.slice(2);
  const config = readConfig();
  switch (command) {
    case 'create-key': {
      const key = readKeyArgs(args);
      return print(await onDatabase(config, (db) => createKey({ db, tokens: tokensOf(config) }, key)));
    }
    case 'create-org': {
      const name = readName(args);
      return print(JSON.stringify(await onDatabase(config, (db) => createOrg({ db, tokens: tokensOf(config) }, name))));
    }
    case 'database-url':
      return print(databaseUrl(config, args));
    case 'rotate-encryption-key': {
      parse(() => parseArgs({ args, options: {} }));
      return print(describeRotation(await onDatabase(config, (db) => rotateEncryptionKey(db, vaultOf(config)))));
    }
    default:
      throw new SetupError(USAGE);
  }
}

async function onDatabase<T>(config: Config, use: (db: Db) => Promise<T>): Promise<T> {
  return reachDatabase(config, async (url) => {
    const db = openDatabase({ url, name: 'gateway-admin', maxConnections: 2 });
    try {
      return await use(db);
    } catch (error) {
      throw isDatabaseAway(error) ? new SetupError(`The database cannot be reached: ${(error as Error).message}.`) : error;
    } finally {
      await db.destroy();
    }
  });
}

/** With the pepper of the running service: under any other, keys would be of no use to it. */
function tokensOf(config: Config): Tokens {
  return openTokens(config.tokenPepper ?? keptSecrets(config, 'TOKEN_PEPPER').TOKEN_PEPPER);
}

function vaultOf(config: Config): Vault {
  return openVault(config.encryptionKeys ?? keptSecrets(config, 'ENCRYPTION_KEYS').ENCRYPTION_KEYS, dataKeys);
}

/** What the service that keeps its data here made on its first start. */
function keptSecrets(config: Config, needed: keyof Secrets): Secrets {
  const dataDir = resolve(config.dataDir);
  if (existsSync(join(dataDir, 'secrets.json')))
    return keepSecrets(dataDir, { ENCRYPTION_KEYS: config.encryptionKeys, TOKEN_PEPPER: config.tokenPepper });
  throw new SetupError(`${needed} is not set, and ${dataDir} keeps none. Set it, or DATA_DIR, to what the service runs with.`);
}

function describeRotation({ keyId, rotated, unchanged }: Rotation): string {
  return `Everything is encrypted under the key "${keyId}": ${rotated} data keys were wrapped anew, ${unchanged} had been before.`;
}

interface KeyArgs {
  name: string;
  org: string | undefined;
  workspaces: string[] | undefined;
  decide: boolean;
  expiresInSeconds: number | undefined;
}

async function createKey({ db, tokens }: { db: Db; tokens: Tokens }, args: KeyArgs): Promise<string> {
  const org = args.org === undefined ? await findFirstOrg(db) : await findOrg(db, args.org);
  if (!org)
    throw new SetupError(
      args.org === undefined ? 'There is no organization yet. Make one with create-org.' : `There is no organization ${args.org}.`,
    );
  const known = await listKnownWorkspaceIds(db, org.id, args.workspaces ?? []);
  const unknown = (args.workspaces ?? []).filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new SetupError(`The organization ${org.id} has no workspace ${unknown.join(', ')}.`);
  const { plainKey } = await createApiKey(
    { db, tokens },
    {
      orgId: org.id,
      name: args.name,
      permissions: {
        ...(args.workspaces && { scope: 'workspace' as const, workspaceIds: args.workspaces }),
        ...(args.decide && { approvals: { decide: true } }),
      },
      expiresAt: args.expiresInSeconds === undefined ? null : new Date(Date.now() + args.expiresInSeconds * 1000),
    },
  );
  return plainKey;
}

function readKeyArgs(args: string[]): KeyArgs {
  const options = {
    name: { type: 'string' },
    org: { type: 'string' },
    workspaces: { type: 'string' },
    decide: { type: 'boolean' },
    'expires-in': { type: 'string' },
  } as const;
  const values = parse(() => parseArgs({ args, options }).values);
  return {
    name: checkName(values.name),
    org: values.org === undefined ? undefined : readId('--org', values.org),
    workspaces: values.workspaces?.split(',').map((id) => readId('--workspaces', id.trim())),
    decide: values.decide ?? false,
    expiresInSeconds: values['expires-in'] === undefined ? undefined : readLifetime(values['expires-in']),
  };
}

function readName(args: string[]): string {
  return checkName(parse(() => parseArgs({ args, options: { name: { type: 'string' } } }).values).name);
}

function databaseUrl(config: Config, args: string[]): string {
  parse(() => parseArgs({ args, options: {} }));
  const url = findRunningDatabase(config);
  if (!url)
    throw new SetupError(
      `The database of ${resolve(config.dataDir)} does not run. Start the service, set DATA_DIR as it has it, or set DATABASE_URL.`,
    );
  return url;
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new SetupError(`${(error as Error).message}\n${USAGE}`);
  }
}

function checkName(name: string | undefined): string {
  if (name) return name;
  throw new SetupError(`--name is missing.\n${USAGE}`);
}

function readId(option: string, id: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id.toLowerCase();
  throw new SetupError(`${option}: ${id} is not an id.\n${USAGE}`);
}

function readLifetime(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_LIFETIME_SECONDS) return seconds;
  throw new SetupError(`--expires-in: ${text} is not a number of seconds between 1 and ${MAX_LIFETIME_SECONDS}.\n${USAGE}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

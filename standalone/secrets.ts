import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, SetupError } from '../infra/config.ts';

export type Secrets = { ENCRYPTION_KEYS: string; TOKEN_PEPPER: string; RECEIPT_SIGNING_KEY: string };

/** The secrets that are configured. */
export function givenSecrets({ encryptionKeys, tokenPepper, receiptSigningKey }: Config): Partial<Secrets> {
  return { ENCRYPTION_KEYS: encryptionKeys, TOKEN_PEPPER: tokenPepper, RECEIPT_SIGNING_KEY: receiptSigningKey };
}

/**
 * Returns the secrets of this installation, from `given` and from DATA_DIR/secrets.json (mode
 * 0600). Creates missing ones.
 * Throws SetupError if a secret is missing and there is an embedded database, because the data
 * needs the old secret. A missing receipt key is created even then.
 */
export function keepSecrets(dataDir: string, given: Partial<Secrets>): Secrets {
  const file = fileOf(dataDir);
  const secrets = { ...readKept(file), ...dropEmpty(given) };
  const missing = (Object.keys(MAKE) as (keyof Secrets)[]).filter((name) => !secrets[name]);
  const lost = missing.filter((name) => name !== 'RECEIPT_SIGNING_KEY');
  if (lost.length > 0 && existsSync(join(dataDir, 'postgres'))) {
    throw new SetupError(
      `${lost.join(' and ')} of the data in ${dataDir} ${lost.length > 1 ? 'are' : 'is'} missing: restore ${file} from a backup, set the variables as before, or remove ${dataDir} to start again with empty data.`,
    );
  }
  return missing.length === 0 ? (secrets as Secrets) : ({ ...secrets, ...generateSecrets(dataDir, missing) } as Secrets);
}

/** Replaces the kept receipt key. Running processes use the old key until they are restarted. */
export function replaceReceiptKey(dataDir: string): void {
  generateSecrets(dataDir, ['RECEIPT_SIGNING_KEY']);
}

const MAKE: Record<keyof Secrets, () => string> = {
  ENCRYPTION_KEYS: () => `first:${randomBytes(32).toString('base64')}`,
  TOKEN_PEPPER: () => randomBytes(32).toString('base64url'),
  RECEIPT_SIGNING_KEY: () => randomBytes(32).toString('base64'),
};

function generateSecrets(dataDir: string, names: (keyof Secrets)[]): Partial<Secrets> {
  const file = fileOf(dataDir);
  const made = Object.fromEntries(names.map((name) => [name, MAKE[name]()]));
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...readKept(file), ...made }, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return made;
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

function readKept(file: string): Partial<Secrets> {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch {
    throw new SetupError(`${file} cannot be read as JSON. Restore it from a backup.`);
  }
}

function dropEmpty(given: Partial<Secrets>): Partial<Secrets> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}

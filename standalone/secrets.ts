import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../infra/config.ts';

export type Secrets = { ENCRYPTION_KEYS: string; TOKEN_PEPPER: string };

/**
 * The secrets of this installation: the given ones, else those kept in DATA_DIR/secrets.json (mode 0600), which the
 * first start makes. Never makes new ones for a data folder that already holds data: they could not read it.
 */
export function keepSecrets(dataDir: string, given: Partial<Secrets>): Secrets {
  const file = join(dataDir, 'secrets.json');
  const secrets = { ...readKept(file), ...dropEmpty(given) };
  const made = { ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`, TOKEN_PEPPER: randomBytes(32).toString('base64url') };
  const missing = Object.keys(made).filter((name) => !secrets[name as keyof Secrets]);
  if (missing.length === 0) return secrets as Secrets;
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new SetupError(
      `${missing.join(' and ')} of the data in ${dataDir} ${missing.length > 1 ? 'are' : 'is'} missing: restore ${file} from a backup, set the variables as before, or remove ${dataDir} to begin anew.`,
    );
  }
  const kept = Object.fromEntries(missing.map((name) => [name, made[name as keyof Secrets]]));
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...readKept(file), ...kept }, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return { ...secrets, ...kept } as Secrets;
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

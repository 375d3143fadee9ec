import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, SetupError } from '../../infra/config.ts';
import { openTokens, type Tokens } from '../../infra/tokens.ts';
import { openVault, type Vault } from '../../infra/vault.ts';
import { dataKeys } from '../../store/data-keys.ts';
import { givenSecrets, keepSecrets, type Secrets } from '../secrets.ts';

/** With the pepper of the running service: under any other, keys would be of no use to it. */
export function tokensOf(config: Config): Tokens {
  return openTokens(config.tokenPepper ?? keptSecrets(config, 'TOKEN_PEPPER').TOKEN_PEPPER);
}

/** With the encryption keys of the running service. */
export function vaultOf(config: Config): Vault {
  return openVault(config.encryptionKeys ?? keptSecrets(config, 'ENCRYPTION_KEYS').ENCRYPTION_KEYS, dataKeys);
}

/** What the service that keeps its data here made on its first start; throws a SetupError where it made nothing. */
export function keptSecrets(config: Config, missing: keyof Secrets): Secrets {
  const dataDir = resolve(config.dataDir);
  if (existsSync(join(dataDir, 'secrets.json'))) return keepSecrets(dataDir, givenSecrets(config));
  throw new SetupError(`${missing} is not set, and ${dataDir} keeps none. Set it, or DATA_DIR, to what the service runs with.`);
}

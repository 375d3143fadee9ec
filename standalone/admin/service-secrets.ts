import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, SetupError } from '../../infra/config.ts';
import { openTokens, type Tokens } from '../../infra/tokens.ts';
import { openVault, type Vault } from '../../infra/vault.ts';
import { dataKeys } from '../../store/data-keys.ts';
import { givenSecrets, keepSecrets, type Secrets } from '../secrets.ts';

/** Tokens with the pepper of the service. */
export function tokensOf(config: Config): Tokens {
  return openTokens(config.tokenPepper ?? keptSecrets(config, 'TOKEN_PEPPER').TOKEN_PEPPER);
}

/** A vault with the encryption keys of the service. */
export function vaultOf(config: Config): Vault {
  return openVault(config.encryptionKeys ?? keptSecrets(config, 'ENCRYPTION_KEYS').ENCRYPTION_KEYS, dataKeys);
}

/**
 * The secrets of the service, configured or in its data folder. Throws SetupError if the data
 * folder has none; the message names the variable `missing`.
 */
export function keptSecrets(config: Config, missing: keyof Secrets): Secrets {
  const dataDir = resolve(config.dataDir);
  if (hasKeptSecrets(config)) return keepSecrets(dataDir, givenSecrets(config));
  throw new SetupError(
    `${missing} is not set, and ${dataDir} has no secrets. Set ${missing} or DATA_DIR to the value that the service has.`,
  );
}

/** Whether the data folder has secrets. */
export function hasKeptSecrets({ dataDir }: Config): boolean {
  return existsSync(join(resolve(dataDir), 'secrets.json'));
}

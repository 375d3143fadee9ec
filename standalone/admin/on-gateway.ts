import type { Gateway } from '../../commands/gateway.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { isDatabaseUnavailable } from '../../infra/database.ts';
import { type Addresses, readAddresses } from '../addresses.ts';
import { reachDatabase } from '../reach-database.ts';
import { findRunningDatabase } from '../running-database.ts';
import { givenSecrets } from '../secrets.ts';
import { keptSecrets } from './service-secrets.ts';

/**
 * Calls `use` with a gateway that has the addresses and secrets of the service, whether it runs or
 * not. Throws SetupError.
 */
export async function onGateway<T>(config: Config, use: (gateway: Gateway) => Promise<T>): Promise<T> {
  const temporal = temporalOf(config);
  return reachDatabase(config, async (databaseUrl) => {
    const { openGateway } = await import('../../composition/open-gateway.ts'); // this import takes half a second
    const gateway = openGateway({ ...serviceConfig(config), databaseUrl, temporal, logLevel: 'error' }, 'admin');
    try {
      return await use(gateway);
    } catch (error) {
      throw isDatabaseUnavailable(error) ? new SetupError(`The database cannot be reached: ${(error as Error).message}.`) : error;
    } finally {
      await gateway.close();
    }
  });
}

function serviceConfig(config: Config): Config {
  const { baseUrl = config.baseUrl, platformUrl = config.platformUrl } = recordedAddresses(config);
  const given = givenSecrets(config);
  const missing = (['TOKEN_PEPPER', 'ENCRYPTION_KEYS', 'RECEIPT_SIGNING_KEY'] as const).find((name) => !given[name]);
  if (missing === undefined) return { ...config, baseUrl, platformUrl };
  const { ENCRYPTION_KEYS, TOKEN_PEPPER, RECEIPT_SIGNING_KEY } = keptSecrets(config, missing);
  return {
    ...config,
    baseUrl,
    platformUrl,
    encryptionKeys: ENCRYPTION_KEYS,
    tokenPepper: TOKEN_PEPPER,
    receiptSigningKey: RECEIPT_SIGNING_KEY,
  };
}

function temporalOf(config: Config): Config['temporal'] {
  const recorded = findRunningDatabase(config) ? recordedAddresses(config).temporal : { address: undefined };
  return { ...config.temporal, ...recorded };
}

/** None if DATABASE_URL is set, because the data folder may then belong to another service. */
function recordedAddresses(config: Config): Partial<Addresses> {
  return (config.databaseUrl ? undefined : readAddresses(config.dataDir)) ?? {};
}

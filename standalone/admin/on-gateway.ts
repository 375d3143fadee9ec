import type { Gateway } from '../../commands/gateway.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { isDatabaseAway } from '../../infra/database.ts';
import { type Addresses, readAddresses } from '../addresses.ts';
import { findRunningDatabase, reachDatabase } from '../reach-database.ts';
import { keptSecrets } from './service-secrets.ts';

/**
 * Uses all that the service's own commands use, whether it runs or not, by the addresses and the secrets that the service has. While it does
 * not run, nobody tells Temporal: the service does, when it starts. Throws a SetupError when the database can't be reached.
 */
export async function onGateway<T>(config: Config, use: (gateway: Gateway) => Promise<T>): Promise<T> {
  const temporal = temporalOf(config);
  return reachDatabase(config, async (databaseUrl) => {
    const { openGateway } = await import('../../commands/gateway.ts'); // half a second that the other commands need not wait
    const gateway = openGateway({ ...serviceConfig(config), databaseUrl, temporal, logLevel: 'error' }, 'admin');
    try {
      return await use(gateway);
    } catch (error) {
      throw isDatabaseAway(error) ? new SetupError(`The database cannot be reached: ${(error as Error).message}.`) : error;
    } finally {
      await gateway.close();
    }
  });
}

function serviceConfig(config: Config): Config {
  const { baseUrl = config.baseUrl, platformUrl = config.platformUrl } = recordedAddresses(config);
  const isGiven = config.encryptionKeys && config.tokenPepper && config.receiptSigningKey;
  if (isGiven) return { ...config, baseUrl, platformUrl };
  const { ENCRYPTION_KEYS, TOKEN_PEPPER, RECEIPT_SIGNING_KEY } = keptSecrets(config, 'TOKEN_PEPPER');
  return {
    ...config,
    baseUrl,
    platformUrl,
    encryptionKeys: ENCRYPTION_KEYS,
    tokenPepper: TOKEN_PEPPER,
    receiptSigningKey: RECEIPT_SIGNING_KEY,
  };
}

/** The Temporal of the running service; nobody's address while it does not run. */
function temporalOf(config: Config): Config['temporal'] {
  const recorded = findRunningDatabase(config) ? recordedAddresses(config).temporal : { address: undefined };
  return { ...config.temporal, ...recorded };
}

/** With a database given, the environment says the rest as well: what a data folder holds may be of another service. */
function recordedAddresses(config: Config): Partial<Addresses> {
  return (config.databaseUrl ? undefined : readAddresses(config.dataDir)) ?? {};
}

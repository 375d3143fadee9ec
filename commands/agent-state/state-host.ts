import type { Db } from '../../infra/database.ts';
import type { Tokens } from '../../infra/tokens.ts';
import type { StorageQuota } from '../../store/storage-quota.ts';

/** The parts of the gateway that agent state needs. */
export interface StateHost {
  db: Db;
  tokens: Pick<Tokens, 'key'>;
  config: { platformUrl: string; quotas: { storageBytes: StorageQuota } };
}

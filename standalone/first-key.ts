import { createOrg } from '../commands/access/create-org.ts';
import { openDatabase } from '../infra/database.ts';
import { openTokens } from '../infra/tokens.ts';
import { findFirstOrg } from '../store/orgs.ts';
import type { Secrets } from './secrets.ts';

/**
 * On the first start: creates the first organization and returns its plain API key. Later:
 * undefined.
 */
export async function createFirstKey({ databaseUrl, secrets }: { databaseUrl: string; secrets: Secrets }): Promise<string | undefined> {
  const db = openDatabase({ url: databaseUrl, name: 'gateway-start', maxConnections: 1 });
  try {
    if (await findFirstOrg(db)) return undefined;
    const { plainKey } = await createOrg({ db, tokens: openTokens(secrets.TOKEN_PEPPER) }, 'First organization');
    return plainKey;
  } finally {
    await db.destroy();
  }
}

import { createOrg } from '../commands/create-org.ts';
import { openDatabase } from '../infra/database.ts';
import { openTokens } from '../infra/tokens.ts';
import { findFirstOrg } from '../store/orgs.ts';
import type { Secrets } from './secrets.ts';

/** On the very first start, makes the first organization and answers its key in plain text, this once; undefined ever after. */
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

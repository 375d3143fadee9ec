import { createOrg } from '../commands/access/create-org.ts';
import { issueSetupLink } from '../commands/members/set-up.ts';
import { openDatabase } from '../infra/database.ts';
import { openTokens } from '../infra/tokens.ts';
import { findFirstOrg } from '../store/orgs.ts';
import type { Secrets } from './secrets.ts';

/** The access data that a start prints. */
export interface FirstAccess {
  /** The API key of the first organization. Undefined on later starts. */
  firstKey: string | undefined;
  /** The link for the first owner. Undefined once an owner has signed in. */
  setupLink: string | undefined;
}

interface Started {
  databaseUrl: string;
  secrets: Secrets;
  platformUrl: string;
}

/**
 * Creates the first organization on the first start, and a set-up link until an owner has signed
 * in.
 */
export async function createFirstAccess({ databaseUrl, secrets, platformUrl }: Started): Promise<FirstAccess> {
  const db = openDatabase({ url: databaseUrl, name: 'gateway-start', maxConnections: 1 });
  try {
    const tokens = openTokens(secrets.TOKEN_PEPPER);
    const known = await findFirstOrg(db);
    const { orgId, plainKey } = known ? { orgId: known.id, plainKey: undefined } : await createOrg({ db, tokens }, 'First organization');
    const setupLink = await issueSetupLink({ db, tokens, config: { platformUrl } }, orgId);
    return { firstKey: plainKey, setupLink };
  } finally {
    await db.destroy();
  }
}

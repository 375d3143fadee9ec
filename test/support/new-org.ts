import { createOrg, type NewOrg } from '../../commands/access/create-org.ts';
import { openTokens } from '../../infra/tokens.ts';
import { testEnvironment } from './ask-test-bed.ts';
import { patientDatabase } from './patient-database.ts';

/** Creates an organization. */
export async function newOrg(databaseUrl: string, name = 'Test'): Promise<NewOrg> {
  const { TOKEN_PEPPER } = await testEnvironment();
  const db = patientDatabase(databaseUrl);
  try {
    return await createOrg({ db, tokens: openTokens(TOKEN_PEPPER!) }, name);
  } finally {
    await db.destroy();
  }
}

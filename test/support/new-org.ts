import { createOrg, type NewOrg } from '../../commands/create-org.ts';
import { openTokens } from '../../infra/tokens.ts';
import { testEnvironment } from './ask-test-bed.ts';
import { patientDatabase } from './patient-database.ts';

/** Makes an organization in a database that may be new, on a machine that may be busy: the service itself would not wait so long. */
export async function newOrg(databaseUrl: string, name = 'Test'): Promise<NewOrg> {
  const { TOKEN_PEPPER } = await testEnvironment();
  const db = patientDatabase(databaseUrl);
  try {
    return await createOrg({ db, tokens: openTokens(TOKEN_PEPPER!) }, name);
  } finally {
    await db.destroy();
  }
}

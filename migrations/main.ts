import { readConfig, required, SetupError } from '../infra/config.ts';
import { openDatabase } from '../infra/database.ts';
import { migrate } from './migrate.ts';

/** npm run migrate: applies all missing migrations. */
try {
  const config = readConfig();
  const db = openDatabase({ url: required(config.databaseUrl, 'DATABASE_URL'), name: 'gateway-migrate', maxConnections: 2 });
  const applied = await migrate(db);
  await db.destroy();
  console.log(applied.length > 0 ? `Migrated: ${applied.join(', ')}` : 'The database is up to date');
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}

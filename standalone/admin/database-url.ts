import { resolve } from 'node:path';
import { SetupError } from '../../infra/config.ts';
import { findRunningDatabase } from '../running-database.ts';
import { adminCommand } from './admin-command.ts';
import { readOptions } from './read-options.ts';

/** Prints the connection string of the running database. */
export const command = adminCommand({
  read: (args) => readOptions(args, {}),
  run: (config) => {
    const url = findRunningDatabase(config);
    if (url) return url;
    throw new SetupError(
      `The database of ${resolve(config.dataDir)} does not run. Start the service, set DATA_DIR to the folder of the running service, or set DATABASE_URL.`,
    );
  },
});

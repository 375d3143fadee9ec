import { createOrg } from '../../commands/access/create-org.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { readOptions, requireOption } from './read-options.ts';
import { tokensOf } from './service-secrets.ts';

/**
 * Creates an organization with a workspace and an org-wide key that may decide approvals. Prints
 * JSON.
 */
export const command = adminCommand({
  read: (args) => requireOption('--name', readOptions(args, { name: { type: 'string' } }).name),
  run: async (config, name) => JSON.stringify(await onDatabase(config, (db) => createOrg({ db, tokens: tokensOf(config) }, name))),
});

import { createOrg } from '../../commands/create-org.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { needed, readOptions } from './read-options.ts';
import { tokensOf } from './service-secrets.ts';

/** Makes an organization with a workspace and an org-wide key that may decide; prints `{ orgId, workspaceId, plainKey }`. */
export const createOrganization = adminCommand({
  name: 'create-org',
  usage: '--name NAME',
  read: (args) => needed('--name', readOptions(args, { name: { type: 'string' } }).name),
  run: async (config, name) => JSON.stringify(await onDatabase(config, (db) => createOrg({ db, tokens: tokensOf(config) }, name))),
});

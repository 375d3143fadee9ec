import { listMembers } from '../../store/memberships.ts';
import { adminCommand } from './admin-command.ts';
import { formatTable } from './format-table.ts';
import { getOrg } from './get-org.ts';
import { onDatabase } from './on-database.ts';
import { readOptionalId, readOptions } from './read-options.ts';

/** Prints the members of an organization. */
export const command = adminCommand({
  read: (args) => readOptionalId('--org', readOptions(args, { org: { type: 'string' } }).org),
  run: (config, named) =>
    onDatabase(config, async (db) => {
      const members = await listMembers(db, (await getOrg(db, named)).id);
      const rows = members.map(({ id, email, role, displayName }) => [id, email, role, displayName ?? '']);
      return formatTable(['USER', 'EMAIL', 'ROLE', 'NAME'], rows);
    }),
});

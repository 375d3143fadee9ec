import { removeUser as endMembership } from '../../commands/access/remove-user.ts';
import { adminCommand } from './admin-command.ts';
import { getMember } from './get-member.ts';
import { getOrg } from './get-org.ts';
import { onDatabase } from './on-database.ts';
import { readEmail } from './read-email.ts';
import { readOptionalId, readOptions } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

/** Removes a member. */
export const command = adminCommand({
  read: (args) => {
    const { email, org } = readOptions(args, { email: { type: 'string' }, org: { type: 'string' } });
    return { email: readEmail('--email', email), org: readOptionalId('--org', org) };
  },
  run: (config, { email, org }) =>
    onDatabase(config, async (db) => {
      const member = await getMember(db, (await getOrg(db, org)).id, email);
      await endMembership(db, member, systemOperator());
      return `${member.email} is no longer a member of the organization ${member.orgId}.`;
    }),
});

import { removeUser as endMembership } from '../../commands/remove-user.ts';
import { adminCommand } from './admin-command.ts';
import { namedMember } from './named-member.ts';
import { namedOrg } from './named-org.ts';
import { onDatabase } from './on-database.ts';
import { readEmail } from './read-email.ts';
import { readOptionalId, readOptions } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

/** Ends a membership: the person decides nothing there any more, and links that were made for them open nothing. */
export const removeUser = adminCommand({
  name: 'remove-user',
  usage: '--email EMAIL [--org ID]',
  read: (args) => {
    const { email, org } = readOptions(args, { email: { type: 'string' }, org: { type: 'string' } });
    return { email: readEmail('--email', email), org: readOptionalId('--org', org) };
  },
  run: (config, { email, org }) =>
    onDatabase(config, async (db) => {
      const member = await namedMember(db, (await namedOrg(db, org)).id, email);
      await endMembership(db, member, systemOperator());
      return `${member.email} is no member of the organization ${member.orgId} any more.`;
    }),
});

import { issueMemberLink } from '../../commands/members/member-links.ts';
import { adminCommand } from './admin-command.ts';
import { getMember } from './get-member.ts';
import { getOrg } from './get-org.ts';
import { onGateway } from './on-gateway.ts';
import { readEmail } from './read-email.ts';
import { readOptionalId, readOptions } from './read-options.ts';

/** Prints a link that signs a member in. The link works once, for ten minutes. */
export const command = adminCommand({
  read: (args) => {
    const { email, org } = readOptions(args, { email: { type: 'string' }, org: { type: 'string' } });
    return { email: readEmail('--email', email), org: readOptionalId('--org', org) };
  },
  run: (config, { email, org }) =>
    onGateway(config, async (gateway) => {
      const member = await getMember(gateway.db, (await getOrg(gateway.db, org)).id, email);
      return issueMemberLink(gateway, member, 'sign-in');
    }),
});

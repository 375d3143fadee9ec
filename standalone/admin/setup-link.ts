import { issueSetupLink } from '../../commands/members/set-up.ts';
import { SetupError } from '../../infra/config.ts';
import { adminCommand } from './admin-command.ts';
import { getOrg } from './get-org.ts';
import { onGateway } from './on-gateway.ts';
import { readOptionalId, readOptions } from './read-options.ts';

/** Prints the link that makes the first owner. Throws SetupError once an owner has signed in. */
export const command = adminCommand({
  read: (args) => readOptionalId('--org', readOptions(args, { org: { type: 'string' } }).org),
  run: (config, named) =>
    onGateway(config, async (gateway) => {
      const link = await issueSetupLink(gateway, (await getOrg(gateway.db, named)).id);
      if (link === undefined) throw new SetupError('An owner has signed in already. Use sign-in-link.');
      return link;
    }),
});

import { rotateOAuthKeys } from '../../commands/oauth/oauth-keys.ts';
import { adminCommand } from './admin-command.ts';
import { onGateway } from './on-gateway.ts';
import { readOptions } from './read-options.ts';

/** Adds keys of the authorization server, ahead of the schedule. */
export const command = adminCommand({
  read: (args) => readOptions(args, { 'at-once': { type: 'boolean' } }),
  run: async (config, { 'at-once': atOnce = false }) => {
    await onGateway(config, (gateway) => rotateOAuthKeys(gateway, { atOnce }));
    return atOnce
      ? 'New keys sign from now on, and the former ones have ended. Whoever is signing in at this moment starts again.'
      : 'New keys are published and sign in an hour. The former ones are accepted for a day after that.';
  },
});

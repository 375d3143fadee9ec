import { rotateOAuthKeys } from '../../commands/oauth/oauth-keys.ts';
import { adminCommand } from './admin-command.ts';
import { onGateway } from './on-gateway.ts';
import { readOptions } from './read-options.ts';

/** Adds new signing keys of the authorization server ahead of the regular rotation. */
export const command = adminCommand({
  read: (args) => readOptions(args, { 'at-once': { type: 'boolean' } }),
  run: async (config, { 'at-once': atOnce = false }) => {
    await onGateway(config, (gateway) => rotateOAuthKeys(gateway, { atOnce }));
    return atOnce
      ? 'New keys sign from now on, and the former keys are invalid. People who are signing in right now must start again.'
      : 'New keys are published and will sign after an hour. The former keys are accepted for one more day.';
  },
});

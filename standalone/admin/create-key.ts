import { createApiKey } from '../../commands/access/create-api-key.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { listKnownWorkspaceIds } from '../../store/workspaces.ts';
import { adminCommand } from './admin-command.ts';
import { getOrg } from './get-org.ts';
import { onDatabase } from './on-database.ts';
import { readId, readOptionalId, readOptions, requireOption, UsageError } from './read-options.ts';
import { tokensOf } from './service-secrets.ts';

/** Creates an API key and prints it. */
export const command = adminCommand({
  read: (args) => {
    const values = readOptions(args, {
      name: { type: 'string' },
      org: { type: 'string' },
      workspaces: { type: 'string' },
      decide: { type: 'boolean' },
      'expires-in': { type: 'string' },
    });
    return {
      name: requireOption('--name', values.name),
      org: readOptionalId('--org', values.org),
      workspaces: values.workspaces?.split(',').map((id) => readId('--workspaces', id.trim())),
      decide: values.decide ?? false,
      expiresInSeconds: values['expires-in'] === undefined ? undefined : readLifetime(values['expires-in']),
    };
  },
  run: createKey,
});

const MAX_LIFETIME_SECONDS = 100 * 365 * 86_400;

function readLifetime(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_LIFETIME_SECONDS) return seconds;
  throw new UsageError(`--expires-in: ${text} is not a number of seconds between 1 and ${MAX_LIFETIME_SECONDS}.`);
}

interface NewKey {
  name: string;
  org: string | undefined;
  workspaces: string[] | undefined;
  decide: boolean;
  expiresInSeconds: number | undefined;
}

async function createKey(config: Config, { name, org: named, workspaces, decide, expiresInSeconds }: NewKey): Promise<string> {
  return onDatabase(config, async (db) => {
    const org = await getOrg(db, named);
    const known = await listKnownWorkspaceIds(db, org.id, workspaces ?? []);
    const unknown = (workspaces ?? []).filter((id) => !known.includes(id));
    if (unknown.length > 0) throw new SetupError(`The organization ${org.id} has no workspace ${unknown.join(', ')}.`);
    const permissions = {
      ...(workspaces && { scope: 'workspace' as const, workspaceIds: workspaces }),
      ...(decide && { approvals: { decide: true } }),
    };
    const expiresAt = expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000);
    return (await createApiKey({ db, tokens: tokensOf(config) }, { orgId: org.id, name, permissions, expiresAt })).plainKey;
  });
}

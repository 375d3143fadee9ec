import { randomBytes } from 'node:crypto';
import { openState, type StateRequest } from '../../commands/agent-state/open-state.ts';
import type { StateHost } from '../../commands/agent-state/state-host.ts';
import { openDatabase } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { cloneDatabase } from '../support/system.ts';
import { runAction } from './run-action.ts';

/** Opens a new database with two organizations and a workspace in each. */
export async function openStateBed() {
  const { url, drop } = await cloneDatabase();
  const host: StateHost = {
    db: openDatabase({ url, name: 'state-test', connectTimeoutMs: 60_000 }),
    tokens: openTokens(randomBytes(32).toString('hex')),
    config: { platformUrl: 'https://gateway.example', quotas: { storageBytes: undefined } },
  };
  const ours = await makeWorkspace(host);
  const theirs = await makeWorkspace(host);
  const endUser = { persistence: undefined, endUserId: 'user-1' };
  return {
    host,
    ours,
    theirs,
    run: (name: `${string}.${string}`, input: object, request: Partial<StateRequest> = {}) =>
      runAction(name, input, { state: () => openState(host, { ...ours, ...endUser, ...request }) }),
    close: async () => {
      await host.db.destroy();
      await drop();
    },
  };
}

async function makeWorkspace({ db }: StateHost) {
  const [{ id: orgId }] = await db('orgs').insert({ name: 'org' }).returning('id');
  const [{ id: workspaceId }] = await db('workspaces').insert({ org_id: orgId, name: 'workspace', slug: 'workspace' }).returning('id');
  return { orgId, workspaceId };
}

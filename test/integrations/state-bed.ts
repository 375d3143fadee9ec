import { randomBytes } from 'node:crypto';
import { openState, type StateHost, type StateRequest } from '../../commands/open-state.ts';
import { openDatabase } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { cloneDatabase } from '../support/system.ts';
import { runAction } from './run-action.ts';

/** A database of one's own with two workspaces of two organizations, and a way to run stateful actions in them. */
export async function openStateBed() {
  const { url, drop } = await cloneDatabase();
  const host: StateHost = {
    db: openDatabase({ url, name: 'state-test' }),
    tokens: openTokens(randomBytes(32).toString('hex')),
    config: { platformUrl: 'https://gateway.example' },
  };
  const ours = await makeWorkspace(host);
  const theirs = await makeWorkspace(host);
  const endUser = { persistence: undefined, endUserId: 'user-1' };
  return {
    host,
    ours,
    theirs,
    /** Runs an action, by default for one end user of our workspace. */
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

import type { Db } from '../../infra/database.ts';
import type { Tokens } from '../../infra/tokens.ts';
import { insertOrg } from '../../store/orgs.ts';
import { insertWorkspace } from '../../store/workspaces.ts';
import { createApiKey } from './create-api-key.ts';

export interface NewOrg {
  orgId: string;
  workspaceId: string;
  plainKey: string;
}

/**
 * Creates an organization with a workspace and an org-wide API key that may decide approvals
 * (contract decisions 2).
 */
export async function createOrg(host: { db: Db; tokens: Tokens }, name: string): Promise<NewOrg> {
  return host.db.transaction(async (tx) => {
    const org = await insertOrg(tx, name);
    const workspace = await insertWorkspace(tx, { orgId: org.id, name: 'Default', slug: 'default' });
    const { plainKey } = await createApiKey(
      { db: tx, tokens: host.tokens },
      { orgId: org.id, name: 'First key', permissions: { approvals: { decide: true } }, expiresAt: null },
    );
    return { orgId: org.id, workspaceId: workspace.id, plainKey };
  });
}

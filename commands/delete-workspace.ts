import { GatewayError } from '../domain/errors.ts';
import { revokeWorkspaceFromKeys } from '../store/api-keys.ts';
import { raisePoliciesVersion } from '../store/orgs.ts';
import { deleteWorkspace as deleteWorkspaceRow } from '../store/workspaces.ts';
import type { Gateway } from './gateway.ts';
import { inTurn } from './in-turn.ts';
import { withdrawPending } from './withdraw-pending.ts';

/**
 * Deletes a workspace with everything inside it, in one transaction, and cancels its pending approvals and unfinished code runs.
 * Approvals, receipts and calls are history and stay. Throws NOT_FOUND.
 */
export async function deleteWorkspace(gateway: Gateway, { orgId, id }: { orgId: string; id: string }): Promise<void> {
  const transact = () =>
    gateway.db.transaction(async (tx) => {
      if (!(await deleteWorkspaceRow(tx, orgId, id))) throw new GatewayError('NOT_FOUND', 'There is no such workspace.');
      await revokeWorkspaceFromKeys(tx, orgId, id);
      const tell = await withdrawPending(gateway, tx, { orgId, workspaceId: id }, 'The workspace was deleted.');
      await raisePoliciesVersion(tx, orgId);
      return tell;
    });
  const tell = await inTurn(id, transact);
  await tell();
}

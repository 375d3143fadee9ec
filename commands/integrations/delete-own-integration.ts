import { integrationActivity } from '../../domain/audit/change-activity.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import { noSuchIntegration } from '../../integrations/catalog.ts';
import { deleteCustomIntegration, lockCustomIntegration } from '../../store/custom-integrations.ts';
import { countIntegrationUse, deleteIntegrationUse } from '../../store/integration-use.ts';
import { raiseSurfaceVersions } from '../../store/workspaces.ts';
import { withdrawApprovals } from '../approvals/withdraw-pending.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { signalSettled } from '../outbox/notify-orchestrator.ts';
import { getOwnRecord } from './get-own-integration.ts';

/**
 * Deletes a custom integration and returns its id. With `force`, also deletes everything that uses
 * it. Without, throws INTEGRATION_IN_USE with the counts if it is used.
 */
export async function deleteOwnIntegration(gateway: Gateway, principal: KeyPrincipal, name: string, force: boolean): Promise<string> {
  const { id, orgId } = await getOwnRecord(gateway, principal, name);
  const transact = () =>
    gateway.db.transaction(async (tx) => {
      await raiseSurfaceVersions(tx, orgId);
      const own = await lockCustomIntegration(tx, id);
      if (!own) throw noSuchIntegration(name);
      const use = await countIntegrationUse(tx, orgId, name);
      if (!force && Object.values(use).some((count) => count > 0))
        throw new GatewayError('INTEGRATION_IN_USE', `${name} is in use. Send force=true to also delete everything that uses it.`, {
          ...use,
        });
      const canceled = await withdrawApprovals(gateway, tx, { orgId, integrationName: name }, 'The integration was deleted.');
      await deleteIntegrationUse(tx, orgId, name);
      await deleteCustomIntegration(tx, id);
      await recordActivity(tx, integrationActivity('integration.deleted', own, actorOf(principal), { removed: { ...use } }));
      return canceled;
    });
  const canceled = await withKeyLock(orgId, transact);
  await Promise.all(canceled.map((approval) => signalSettled(gateway, approval)));
  return id;
}

import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { withKeyLock } from '../../infra/concurrency/key-lock.ts';
import type { Db } from '../../infra/database.ts';
import { noSuchIntegration } from '../../integrations/catalog.ts';
import { lockCustomIntegration } from '../../store/custom-integrations.ts';
import { listInstancesOfIntegration } from '../../store/workspace-integrations.ts';
import { raiseSurfaceVersionsUsing } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';
import { syncInstance } from '../mcp-servers/sync-tools.ts';

/**
 * Edits a custom integration and syncs its tools, in one transaction. Edits of the same integration
 * are serialized. Throws INTEGRATION_NOT_FOUND.
 */
export async function editOwnRecord<Result>(
  gateway: Gateway,
  { id, orgId, name }: Pick<CustomIntegration, 'id' | 'orgId' | 'name'>,
  edit: (tx: Db, record: CustomIntegration) => Promise<Result>,
): Promise<Result> {
  const transact = () =>
    gateway.db.transaction(async (tx) => {
      await raiseSurfaceVersionsUsing(tx, orgId, name);
      const record = await lockCustomIntegration(tx, id);
      if (!record) throw noSuchIntegration(name);
      const result = await edit(tx, record);
      for (const instance of await listInstancesOfIntegration(tx, orgId, name)) await syncInstance(gateway.catalog, tx, instance);
      return result;
    });
  return withKeyLock(id, transact);
}

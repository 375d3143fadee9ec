import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { updateOrgName } from '../../store/orgs.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';

/** Renames the caller's organization. The entry point must check the caller's rights first. */
export async function renameOrg({ db }: Gateway, by: KeyPrincipal, name: string): Promise<void> {
  const { orgId } = by;
  await db.transaction(async (tx) => {
    const former = await updateOrgName(tx, orgId, name);
    if (former === name) return;
    await recordActivity(tx, { orgId, workspaceId: null, type: 'organization.renamed', actor: actorOf(by), details: { name, former } });
  });
}

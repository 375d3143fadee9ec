import type { Workspace } from '../../../domain/workspace.ts';
import { findWorkspace, listWorkspaces } from '../../../store/workspaces.ts';
import { uuid } from '../../schemas.ts';
import type { Visit } from './screen.ts';

const MAX_WORKSPACES = 1000;

type Chooser = Pick<Visit, 'gateway' | 'member' | 'workspaceId'>;

/**
 * The oldest workspaces of the organization, up to `limit`, and always the workspace selected in
 * the banner.
 */
export async function listChoosable(
  { gateway: { db }, member: { orgId }, workspaceId }: Chooser,
  limit: number,
): Promise<{ workspaces: Workspace[]; hasMore: boolean }> {
  const { items, total } = await listWorkspaces(db, { orgId }, { limit, offset: 0 });
  const isListed = workspaceId === undefined || items.some(({ id }) => id === workspaceId);
  const isKnown = !isListed && total > items.length && uuid.safeParse(workspaceId).success;
  const selected = isKnown ? await findWorkspace(db, orgId, workspaceId!) : undefined;
  return { workspaces: selected ? [...items, selected] : items, hasMore: total > items.length };
}

/** Names of workspaces by id. Deleted workspaces are absent. */
export async function namesOfWorkspaces(
  { gateway, member: { orgId } }: Pick<Visit, 'gateway' | 'member'>,
  places: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(places)].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const { items } = await listWorkspaces(gateway.db, { orgId, ids }, { limit: ids.length, offset: 0 });
  return new Map(items.map(({ id, name }) => [id, name]));
}

/** Names, by id, of the workspaces that a form offers. */
export async function workspaceNames(visit: Chooser): Promise<Map<string, string>> {
  const { workspaces } = await listChoosable(visit, MAX_WORKSPACES);
  return new Map(workspaces.map(({ id, name }) => [id, name]));
}

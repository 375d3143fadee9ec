import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import type { Workspace } from '../../../../domain/workspace.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';

/** Path of the list of workspaces, below /app. */
export const WORKSPACES = '/workspaces';

/** The workspace in the path. Throws NOT_FOUND. */
export async function workspaceOf({ gateway, principal, params }: Visit): Promise<Workspace> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getWorkspace(gateway, principal, id.data);
}

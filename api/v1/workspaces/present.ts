import type { Workspace } from '../../../domain/workspace.ts';

export function presentWorkspace(workspace: Workspace) {
  return {
    id: workspace.id,
    orgId: workspace.orgId,
    name: workspace.name,
    slug: workspace.slug,
    createdAt: workspace.createdAt.toISOString(),
    updatedAt: workspace.updatedAt.toISOString(),
  };
}

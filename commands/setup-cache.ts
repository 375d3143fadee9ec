import { LRUCache } from 'lru-cache';
import type { InputPartial } from '../domain/input-partial.ts';
import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import { listPartialsOfWorkspace } from '../store/partials.ts';
import { listWorkspaceIntegrations } from '../store/workspace-integrations.ts';
import { readSurfaceVersion } from '../store/workspaces.ts';

/** What a workspace has configured, as calls need it. */
export interface WorkspaceSetup {
  /** By sortOrder and then age. */
  instances: readonly WorkspaceIntegration[];
  partials: readonly InputPartial[];
}

/** Setups by workspace, kept in memory while the workspace's surface version stands, so that every process sees a change in its next request. */
export interface SetupCache {
  of(scope: { orgId: string; workspaceId: string; surfaceVersion?: number | undefined }): Promise<WorkspaceSetup>;
}

const MAX_WORKSPACES = 500;
/** As JSON; in memory it is some times that. */
const MAX_LENGTH = 16 * 1024 * 1024;

export function openSetupCache(db: Db): SetupCache {
  const kept = new LRUCache<string, { version: number; setup: Promise<WorkspaceSetup> }>({ max: MAX_WORKSPACES, maxSize: MAX_LENGTH });
  return {
    async of({ orgId, workspaceId, surfaceVersion }) {
      const version = surfaceVersion ?? (await readSurfaceVersion(db, workspaceId));
      const known = kept.get(workspaceId);
      if (known && known.version >= version) return known.setup;
      const entry = { version, setup: loadSetup(db, orgId, workspaceId) };
      kept.set(workspaceId, entry, { size: 1 });
      const isCurrent = () => kept.peek(workspaceId) === entry;
      entry.setup.then(
        (setup) => isCurrent() && kept.set(workspaceId, { ...entry }, { size: JSON.stringify(setup).length }),
        () => isCurrent() && kept.delete(workspaceId),
      );
      return entry.setup;
    },
  };
}

async function loadSetup(db: Db, orgId: string, workspaceId: string): Promise<WorkspaceSetup> {
  const [instances, partials] = await Promise.all([
    listWorkspaceIntegrations(db, orgId, workspaceId),
    listPartialsOfWorkspace(db, workspaceId),
  ]);
  return { instances, partials };
}

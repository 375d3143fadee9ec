import type { InputPartial } from '../../domain/input-partial.ts';
import type { WorkspaceIntegration } from '../../domain/workspace-integration.ts';
import { VersionedCache } from '../../infra/concurrency/versioned-cache.ts';
import type { Db } from '../../infra/database.ts';
import { listPartialsOfWorkspace } from '../../store/partials.ts';
import { listWorkspaceIntegrations } from '../../store/workspace-integrations.ts';
import { readSurfaceVersion } from '../../store/workspaces.ts';

/** The configuration of a workspace that calls need. */
export interface WorkspaceSetup {
  /** Ordered by sortOrder, then by age. */
  instances: readonly WorkspaceIntegration[];
  partials: readonly InputPartial[];
}

/** Caches the setup of each workspace. Every process sees a change in its next request. */
export interface SetupCache {
  of(scope: { orgId: string; workspaceId: string; surfaceVersion?: number | undefined }): Promise<WorkspaceSetup>;
}

const MAX_WORKSPACES = 500;
/** Characters of JSON of all cached setups. The setups take several times as much memory. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** Opens the cache of one process. */
export function openSetupCache(db: Db): SetupCache {
  const cache = new VersionedCache<WorkspaceSetup>({
    max: MAX_WORKSPACES,
    size: { max: MAX_LENGTH, of: (setup) => JSON.stringify(setup).length },
  });
  return {
    async of({ orgId, workspaceId, surfaceVersion }) {
      const version = surfaceVersion ?? (await readSurfaceVersion(db, workspaceId));
      return cache.get(workspaceId, version, () => loadSetup(db, orgId, workspaceId));
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

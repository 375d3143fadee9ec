import { GatewayError } from '../../domain/errors.ts';
import type { Persistence } from '../../domain/workspace-integration.ts';
import { ActionError, type State } from '../../integrations/definition.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import { openFileState } from './file-state.ts';
import { openKvState } from './kv-state.ts';
import { openMemoryState } from './memory-state.ts';
import { openPageState } from './page-state.ts';
import type { StateHost } from './state-host.ts';
import { openThoughtState } from './thought-state.ts';

export interface StateRequest {
  orgId: string;
  workspaceId: string;
  /** Undefined means `end_user`. */
  persistence: Persistence | undefined;
  endUserId: string | null | undefined;
}

/**
 * Opens the state of an integration under its persistence scope (specification 2.6). Throws
 * END_USER_REQUIRED or ActionError if the owner is missing.
 */
export function openState(host: StateHost, request: StateRequest): State {
  const owner = ownerOf(request);
  return {
    kv: openKvState(host, owner),
    files: openFileState(host, owner),
    memory: openMemoryState(host.db, owner),
    pages: openPageState(host.db, owner),
    thoughts: openThoughtState(host.db, owner),
  };
}

/** Throws the errors of `openState`. */
export function assertStateOwner(request: StateRequest): void {
  ownerOf(request);
}

function ownerOf({ orgId, workspaceId, persistence = { scope: 'end_user' }, endUserId }: StateRequest): StateOwner {
  const { scope } = persistence;
  if (scope === 'workspace') return { orgId, workspaceId, scope, scopeKey: '' };
  if (scope === 'external') return { orgId, workspaceId, scope, scopeKey: externalKey(persistence) };
  if (endUserId) return { orgId, workspaceId, scope, scopeKey: endUserId };
  throw new GatewayError(
    'END_USER_REQUIRED',
    'This integration keeps its state per end user. Send endUserId, or set settings.persistence.scope of the workspace integration to workspace or external.',
  );
}

function externalKey({ externalId }: Persistence): string {
  if (externalId) return externalId;
  throw new ActionError('settings.persistence of the workspace integration has the scope external but no externalId. Set one.');
}

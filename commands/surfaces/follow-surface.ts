import { SURFACE_CHANGED } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Calls `onChange` when what the workspace's MCP servers offer changes in any process, and when
 * changes may have been missed. Returns how to stop.
 */
export function followSurface({ notices }: Pick<Gateway, 'notices'>, workspaceId: string, onChange: () => void): () => void {
  return notices.subscribe(SURFACE_CHANGED, (changed) => {
    if (changed === undefined || changed === workspaceId) onChange();
  });
}

import { SURFACE_CHANGED } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Calls `onChange` when any process changes what the workspace's MCP servers offer, and when
 * changes may have been missed. Returns a function that stops this.
 */
export function followSurface({ notices }: Pick<Gateway, 'notices'>, workspaceId: string, onChange: () => void): () => void {
  return notices.subscribe(SURFACE_CHANGED, (changed) => {
    if (changed === undefined || changed === workspaceId) onChange();
  });
}

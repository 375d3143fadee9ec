import { SURFACE_CHANGED } from '../../store/workspaces.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Calls `onChange` when any process changes what the workspace's MCP servers offer, and when
 * notifications may have been lost. Returns a function that ends the subscription.
 */
export function followSurface({ notices }: Pick<Gateway, 'notices'>, workspaceId: string, onChange: () => void): () => void {
  return notices.subscribe(SURFACE_CHANGED, (changed) => {
    if (changed === undefined || changed === workspaceId) onChange();
  });
}

import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { followSurface } from '../../commands/surfaces/follow-surface.ts';
import { toolsOf } from './build-server.ts';

/**
 * The events for the subscriptions of a client to one MCP server. Authenticates again before each
 * event, so a revoked token gets no further events.
 */
export function toolChanges(gateway: Gateway, session: McpSession, authenticate: () => Promise<McpSession>): ServerEventBus {
  return {
    publish: () => {},
    subscribe(listener) {
      let seen = session.surfaceVersion;
      const first = digestOf(gateway, session, authenticate);
      let listed: string | undefined;
      let isBehind = false;
      let isChecking = false;
      const check = async () => {
        if (isChecking) return;
        isChecking = true;
        try {
          listed ??= await first;
          while (isBehind) {
            isBehind = false;
            const now = await authenticate();
            if (now.surfaceVersion <= seen) continue;
            const digest = (await toolsOf(gateway, now)).digest();
            if (digest !== listed) listener({ kind: 'tools_list_changed' });
            seen = now.surfaceVersion;
            listed = digest;
          }
        } finally {
          isChecking = false;
        }
      };
      return followSurface(gateway, session.principal.workspaceId, () => {
        isBehind = true;
        // A failed check runs again at the next change.
        check().catch(() => {});
      });
    },
  };
}

/**
 * Returns undefined if the list cannot be read or may have changed in the meantime. The first
 * change then sends an event even if the tools are the same.
 */
async function digestOf(gateway: Gateway, session: McpSession, authenticate: () => Promise<McpSession>): Promise<string | undefined> {
  try {
    const digest = (await toolsOf(gateway, session)).digest();
    return (await authenticate()).surfaceVersion === session.surfaceVersion ? digest : undefined;
  } catch {
    return undefined;
  }
}

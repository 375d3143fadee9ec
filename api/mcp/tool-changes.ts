import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { McpSession } from '../../commands/access/authenticate-mcp-token.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { followSurface } from '../../commands/surfaces/follow-surface.ts';

/**
 * The events of a server's subscriptions: `tools/list_changed` when the workspace's integrations or
 * the server's tools may have changed, in any process. Authenticates again before each event, so a
 * revoked token gets no further events. Changes during an authentication are merged into one event.
 */
export function toolChanges(gateway: Gateway, session: McpSession, authenticate: () => Promise<McpSession>): ServerEventBus {
  return {
    publish: () => {},
    subscribe(listener) {
      let seen = session.surfaceVersion;
      let isBehind = false;
      let isChecking = false;
      const check = async () => {
        if (isChecking) return;
        isChecking = true;
        try {
          while (isBehind) {
            isBehind = false;
            const { surfaceVersion } = await authenticate();
            if (surfaceVersion > seen) listener({ kind: 'tools_list_changed' });
            seen = Math.max(seen, surfaceVersion);
          }
        } finally {
          isChecking = false;
        }
      };
      return followSurface(gateway, session.principal.workspaceId, () => {
        isBehind = true;
        // A failed check is repeated at the next notice.
        check().catch(() => {});
      });
    },
  };
}

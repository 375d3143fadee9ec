import { lazy } from '../../../domain/lazy.ts';
import type { RemoteSessions } from './sessions.ts';

/**
 * Opens sessions between this process and MCP servers. The MCP client is loaded at the first call
 * of a tool, because it takes megabytes of memory.
 */
export function openRemoteSessions(): RemoteSessions {
  const opened = lazy(async () => (await import('./sessions.ts')).openSessions());
  return {
    of: (owner) => ({ call: async (call) => (await opened()).of(owner).call(call) }),
    close: async () => (await opened.current())?.close(),
  };
}

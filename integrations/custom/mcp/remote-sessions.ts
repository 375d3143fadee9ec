import { lazy } from '../../../domain/lazy.ts';
import type { RemoteSessions } from './sessions.ts';

/**
 * Opens sessions with MCP servers. The MCP client takes megabytes of memory, so it is loaded at the
 * first call.
 */
export function openRemoteSessions(): RemoteSessions {
  const opened = lazy(async () => (await import('./sessions.ts')).openSessions());
  return {
    of: (owner) => ({ call: async (call) => (await opened()).of(owner).call(call) }),
    close: async () => (await opened.current())?.close(),
  };
}

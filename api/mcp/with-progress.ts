import type { ServerContext } from '@modelcontextprotocol/server';

/** How often a client that asked for it hears that a long call is still under way. */
const EVERY_SECONDS = 10;

/** Does the work of a call, and tells a client that sent a progress token every ten seconds for how many it has been under way. */
export async function withProgress<Value>({ _meta, notify }: ServerContext['mcpReq'], work: () => Promise<Value>): Promise<Value> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_SECONDS;
    // A client that is gone hears nothing.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message: `under way for ${progress} s` } }).catch(
      () => {},
    );
  }, EVERY_SECONDS * 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

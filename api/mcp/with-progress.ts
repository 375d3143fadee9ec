import type { ServerContext } from '@modelcontextprotocol/server';

const EVERY_SECONDS = 10;

/** Runs a call. Notifies the client of progress every 10 s if the client sent a progress token. */
export async function withProgress<Value>({ _meta, notify }: ServerContext['mcpReq'], work: () => Promise<Value>): Promise<Value> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_SECONDS;
    // A rejection means that the client has disconnected.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message: `running for ${progress} s` } }).catch(() => {});
  }, EVERY_SECONDS * 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

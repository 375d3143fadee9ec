import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { retryAfterOutage } from './retry-after-outage.ts';

// biome-ignore lint/suspicious/noExplicitAny: the demo reads answers of many shapes
type Result = any;

export interface DemoAgent {
  countTools(): Promise<number>;
  /** Returns the structured content of the answer. */
  call(name: string, input: Record<string, unknown>): Promise<Result>;
}

/**
 * An MCP client with a static bearer token. It connects for each call, and waits while the gateway
 * at `url` restarts.
 */
export function connectAgent(
  { endpoint, token }: { endpoint: string; token: string },
  url: string,
  say: (line: string) => void,
): DemoAgent {
  const use = <Value>(ask: (client: Client) => Promise<Value>) =>
    retryAfterOutage(url, say, async () => {
      const client = new Client({ name: 'demo-agent', version: '1.0.0' });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      );
      try {
        return await ask(client);
      } finally {
        await client.close();
      }
    });
  return {
    countTools: () => use(async (client) => (await client.listTools()).tools.length),
    call: (name, input) =>
      use(async (client) => {
        const { structuredContent, content } = await client.callTool({ name, arguments: input }, { timeout: 120_000 });
        if (!structuredContent) throw new Error(`${name} answered: ${JSON.stringify(content)}`);
        const result = structuredContent as Result;
        if (result.error?.code === 'UNAVAILABLE') throw new Error(`UNAVAILABLE: ${result.error.message}`);
        return result;
      }),
  };
}

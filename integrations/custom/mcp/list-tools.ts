import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ListedTool } from './tool-to-action.ts';

/** Real servers have far fewer. */
const MAX_PAGES = 1_000;
const MAX_TOOLS = 50_000;

/** The server lists more pages or tools than can be read. */
export class TooManyToolsError extends Error {}

const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Lists all tools of a server, unchecked. Throws TooManyToolsError and the errors of the MCP
 * client.
 */
export async function listTools(client: Client, { timeoutMs }: { timeoutMs: number }): Promise<ListedTool[]> {
  const found: unknown[] = [];
  const cursors = new Set<string | undefined>();
  for (let cursor: string | undefined; !cursors.has(cursor); ) {
    cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    // `client.listTools` refuses all tools if a single tool is malformed.
    const page = await client.request({ method: 'tools/list', params }, PAGE, { timeout: timeoutMs });
    found.push(...page.tools);
    if (found.length > MAX_TOOLS || cursors.size > MAX_PAGES) throw new TooManyToolsError();
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return found.map((tool) => (typeof tool === 'object' && tool !== null ? (tool as ListedTool) : {}));
}

import { createOrg } from '../commands/access/create-org.ts';
import { openDatabase } from '../infra/database.ts';
import { openTokens } from '../infra/tokens.ts';
import type { TestBed } from '../test/support/test-bed.ts';

// biome-ignore lint/suspicious/noExplicitAny: scripts read many different answers
export type Post = (path: string, body: object) => Promise<any>;

/**
 * Creates an organization with the given integrations and an MCP server. `post` calls the REST API.
 */
export async function openServer(bed: TestBed, { mode, integrations }: { mode: 'CODE' | 'TOOLS'; integrations: string[] }) {
  const [{ apiUrl, databaseUrl }, env] = await Promise.all([bed.system(), bed.env()]);
  const db = openDatabase({ url: databaseUrl, name: 'bench', maxConnections: 1 });
  const { workspaceId, plainKey } = await createOrg({ db, tokens: openTokens(env.TOKEN_PEPPER!) }, 'Bench').finally(() => db.destroy());
  const post: Post = async (path, body) => {
    const headers = { authorization: `Bearer ${plainKey}`, 'content-type': 'application/json' };
    const answer = await fetch(`${apiUrl}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  for (const integrationName of integrations) await post(`/workspaces/${workspaceId}/integrations`, { integrationName });
  const { server, bearerToken } = await post('/mcp/servers', { name: 'Bench', workspaceId, mode, authMode: 'bearer' });
  return { apiUrl, key: plainKey, workspaceId, post, serverId: server.id as string, token: bearerToken as string };
}

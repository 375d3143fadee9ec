import type { ApiBed } from '../../api-bed.ts';
import { CREATE_TASK, GET_TASK, importTasks, tasksAt } from '../../integrations/own/own-bed.ts';
import { refreshWith, theOnly } from '../../integrations/own/read-changes.ts';

/**
 * Creates an MCP server with two tokens, two integrations and a person. All their names contain
 * `name`.
 */
export async function aServerOfLongNames(
  bed: ApiBed,
  name: string,
): Promise<{ serverId: string; bearerTokenId: string; oauthTokenId: string }> {
  const api = bed.api.must(201);
  const { workspaceId } = bed;
  for (const integrationName of ['http', 'hash-encode'])
    await api.post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName, displayName: `${integrationName} ${name}` });
  await api.post('/api/v1/end-users', { workspaceId, externalId: name, displayName: name });
  const fields = { name, description: name, workspaceId, authMode: 'oauth_and_bearer' };
  const { server } = await api.post('/api/v1/mcp/servers', fields);
  const tokens = ['access-tokens', 'oauth-tokens'].map((kind) => api.post(`/api/v1/mcp/servers/${server.id}/${kind}`, { endUserId: name }));
  const [bearer, oauth] = await Promise.all(tokens);
  return { serverId: server.id, bearerTokenId: bearer.token.id, oauthTokenId: oauth.token.id };
}

/** Creates a change of the integration `tasks` whose text contains `words`. */
export async function aLongChange(bed: ApiBed, words: string): Promise<string> {
  const described = (description: string) =>
    tasksAt('https://api.example.com', { actions: { get_task: { ...GET_TASK, description }, create_task: CREATE_TASK } });
  await importTasks(bed, 'tasks', described('Gets one task.'));
  return theOnly(await refreshWith(bed, 'tasks', described(`${words} `.repeat(8)))).id;
}

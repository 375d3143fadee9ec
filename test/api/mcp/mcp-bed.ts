import { createOrg } from '../../../commands/access/create-org.ts';
import { openTokens } from '../../../infra/tokens.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { system } from '../../support/system.ts';

interface JsonAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
}

/** A new organization with a workspace and an API key. */
export interface Org {
  orgId: string;
  workspaceId: string;
  rest(method: string, path: string, body?: unknown): Promise<JsonAnswer>;
}

export interface TestServer {
  id: string;
  url: string;
  token: string;
  /** Sends one JSON-RPC request without a handshake. */
  rpc(method: string, params?: object, options?: PostOptions): Promise<JsonAnswer>;
  call(name: string, input?: object): Promise<JsonAnswer['body']>;
  post(body: unknown, options?: PostOptions): Promise<JsonAnswer>;
}

interface PostOptions {
  token?: string | null;
  method?: string;
  url?: string;
  headers?: Record<string, string>;
}

/** Creates an organization on the shared system. */
export async function anOrg(): Promise<Org> {
  const { apiUrl, databaseUrl, secrets } = await system();
  const db = patientDatabase(databaseUrl);
  const { orgId, workspaceId, plainKey } = await createOrg({ db, tokens: openTokens(secrets.TOKEN_PEPPER) }, 'MCP tests').finally(() =>
    db.destroy(),
  );
  return {
    orgId,
    workspaceId,
    rest: (method, path, body) => send(`${apiUrl}/api/v1${path}`, method, plainKey, body === undefined ? undefined : JSON.stringify(body)),
  };
}

/** Configures an integration in the organization's workspace. */
export async function addIntegration(org: Org, integrationName: string, fields: object = {}): Promise<{ id: string }> {
  const { body } = await org.rest('POST', `/workspaces/${org.workspaceId}/integrations`, { integrationName, ...fields });
  return body.integration;
}

export async function addPolicy(org: Org, fields: object): Promise<{ id: string }> {
  const { body } = await org.rest('POST', '/approval-policies', { name: 'A person looks first', ...fields });
  return body.policy;
}

/** Creates an MCP server with a static bearer token. */
export async function aServer(org: Org, mode: 'TOOLS' | 'CODE' = 'TOOLS', fields: object = {}): Promise<TestServer> {
  const { apiUrl } = await system();
  const { body } = await org.rest('POST', '/mcp/servers', {
    name: `A ${mode} server`,
    workspaceId: org.workspaceId,
    mode,
    authMode: 'bearer',
    ...fields,
  });
  const { id } = body.server;
  const token: string = body.bearerToken;
  const url = `${apiUrl}/mcp/srv_${id}`;
  const post = (message: unknown, options: PostOptions = {}) =>
    send(
      options.url ?? url,
      options.method ?? 'POST',
      options.token === undefined ? token : options.token,
      options.method && options.method !== 'POST' ? undefined : typeof message === 'string' ? message : JSON.stringify(message),
      options.headers,
    );
  const rpc = (method: string, params?: object, options?: PostOptions) => post({ jsonrpc: '2.0', id: 1, method, params }, options);
  return {
    id,
    url,
    token,
    post,
    rpc,
    call: async (name, input = {}) => (await rpc('tools/call', { name, arguments: input })).body.result,
  };
}

async function send(
  url: string,
  method: string,
  token: string | null,
  body: string | undefined,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

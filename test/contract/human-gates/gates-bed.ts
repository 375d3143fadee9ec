import { randomBytes } from 'node:crypto';
import { createOrg } from '../../../commands/access/create-org.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { checkedCaller } from '../../api/checked-caller.ts';
import type { ApiAnswer, Caller } from '../../support/caller.ts';
import { temporalAddress } from '../../support/system.ts';

export const POLICIES = '/api/v1/approval-policies';
export const APPROVALS = '/api/v1/approvals';
export const EXECUTE = '/api/v1/actions/execute';

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as their users do, field by field
export type Body = any;

/** An organization for tests of gates, with helpers for policies and calls. */
export interface Gates {
  bed: ApiBed;
  orgId: string;
  workspaceId: string;
  api: Caller;
  /** Creates a policy and returns it. The default decision is require_approval. */
  policy(fields?: object): Promise<Body>;
  /** Calls `hash-encode.hash`. `fields` overrides fields of the request. */
  call(fields?: object, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** Like `call`, but returns the approval. Throws if the call needs no approval. */
  gated(fields?: object, headers?: Record<string, string>): Promise<Body>;
  /** Like `call`, but returns the HTTP status. */
  outcome(fields?: object, headers?: Record<string, string>): Promise<number>;
  approval(id: string): Promise<Body>;
  decide(id: string, decision: 'approve' | 'reject' | 'cancel', body?: object): Promise<ApiAnswer>;
  /** Returns the id of the workspace integration. */
  configure(fields: object): Promise<string>;
  /** Creates an MCP server in TOOLS mode. */
  server(): Promise<{ id: string; callTool(name: string, input: object): Promise<Body> }>;
  /** Moves the deadline of an approval into the past. */
  letTimePass(id: string): Promise<void>;
}

/**
 * Opens an API. `enter` creates an organization. Temporal runs, so that no request waits for a
 * connection timeout. No worker runs, so no webhook is sent.
 */
export async function openGatesBed(env: Record<string, string> = {}): Promise<{ enter(): Promise<Gates>; close(): Promise<void> }> {
  const temporal = { TEMPORAL_ADDRESS: await temporalAddress(), TEMPORAL_TASK_QUEUE: `gates-${randomBytes(6).toString('hex')}` };
  const bed = await openApiBed({ ...temporal, ...env });
  return { enter: () => enter(bed), close: () => bed.close() };
}

async function enter(bed: ApiBed): Promise<Gates> {
  const { orgId, workspaceId, plainKey } = await createOrg(bed.gateway, 'Gates');
  const api = checkedCaller(bed.apiUrl, plainKey);
  const call: Gates['call'] = (fields = {}, headers = {}) =>
    api.post(EXECUTE, { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x' }, ...fields }, headers);
  return {
    ...{ bed, orgId, workspaceId, api, call },
    policy: async (fields = {}) => (await api.must(200).post(POLICIES, { name: 'Ask first', ...fields })).policy,
    gated: async (...rest) => {
      const { status, body } = await call(...rest);
      if (status !== 202) throw new Error(`not gated: ${status} ${JSON.stringify(body)}`);
      return body.approval;
    },
    outcome: async (...rest) => (await call(...rest)).status,
    approval: async (id) => (await api.must(200).get(`${APPROVALS}/${id}`)).approval,
    decide: (id, decision, body) => api.post(`${APPROVALS}/${id}/${decision}`, body),
    configure: async (fields) => (await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, fields)).integration.id,
    server: async () => {
      const { server, bearerToken } = await api
        .must(201)
        .post('/api/v1/mcp/servers', { name: 'Tools', workspaceId, mode: 'TOOLS', authMode: 'bearer' });
      return { id: server.id, callTool: (name, input) => callTool(`${bed.apiUrl}/mcp/srv_${server.id}`, bearerToken, name, input) };
    },
    letTimePass: async (id) => {
      await bed.gateway
        .db('approvals')
        .where({ id })
        .update({ expires_at: bed.gateway.db.raw("now() - interval '1 second'") });
    },
  };
}

async function callTool(url: string, token: string, name: string, input: object): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  return JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6)).result;
}

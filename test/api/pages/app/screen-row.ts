import { randomUUID } from 'node:crypto';
import type { OrgRole } from '../../../../domain/policies/policy.ts';
import type { ConnectedRecords } from './connected-records.ts';

/**
 * What a role gets from a screen: `200` a page, `303` a redirect, `400` a form that says what is
 * missing, `403` "You may not do this", `404` nothing of that id.
 */
type Expected = Record<OrgRole, number>;

/** What a row fills its path and its form with. */
export interface Filling {
  /** Values of the parameters of the path. Default: an unknown id, which is 404 to all who may. */
  params?: (ids: ScreenIds) => Record<string, string>;
  /** The query of the URL. */
  query?: (ids: ScreenIds) => Record<string, string>;
  /** The posted form. Default: empty. */
  fields?: (ids: ScreenIds) => Record<string, string>;
}

export interface ScreenRow extends Filling {
  expect: Expected;
  /** It answers with data or a part of a page, so there is no page to look at. */
  isData?: true;
  /** Further states of the page that are looked at, such as one with a new secret. */
  states?: Record<string, Filling>;
}

/** Records that rows may name, of the members' organization. */
export interface ScreenIds {
  /** A viewer and an owner who are nobody else. */
  memberId: string;
  ownerId: string;
  /** Has not signed in yet. */
  invitedId: string;
  workspaceId: string;
  keyId: string;
  serverId: string;
  bearerTokenId: string;
  oauthTokenId: string;
  /** It waits. */
  approvalId: string;
  /** It is about a program and waits. */
  planId: string;
  decidedId: string;
  /** It waits. */
  runId: string;
  finishedRunId: string;
  replayableRunId: string;
  policyId: string;
  /** Twenty of its requests in a row were approved. */
  repeatedPolicyId: string;
  /** Of an own integration. */
  changeId: string;
  /** It failed. */
  deliveryId: string;
  endpointId: string;
  oauthAppId: string;
  connected: ConnectedRecords;
}

/** The same answer for a role and all above it; 403 for those below. */
export function from(least: OrgRole, status = 200): Expected {
  const roles = ['viewer', 'member', 'admin', 'owner'] as const;
  return Object.fromEntries(roles.map((role, index) => [role, index >= roles.indexOf(least) ? status : 403])) as Expected;
}

/** A state of which only the query differs. */
export const where = (query: Record<string, string>) => ({ query: () => query });
/** Fields of a new policy that must have a value. */
export const POLICY_FIELDS = {
  ...{ decision: 'require_approval', sources: 'rest', timeout: '60', defaultOnTimeout: 'reject', priority: '100', mode: 'enforce' },
  ...{ riskMode: 'rules', endUserMode: 'any', approvalAccessMode: 'dashboard_only' },
};
/** A list whose filters fit nothing. */
export const NOTHING = { 'filtered to nothing': where({ integration: 'nothing', q: 'nothing', text: 'nothing', policy: 'nothing' }) };

export const key = ({ keyId }: ScreenIds) => ({ id: keyId });
export const http = () => ({ name: 'http' });
export const own = () => ({ name: 'tasks' });
export const server = ({ serverId }: ScreenIds) => ({ id: serverId });
export const member = ({ memberId }: ScreenIds) => ({ id: memberId });

export const run = ({ runId }: ScreenIds) => ({ id: runId });
export const repeated = ({ repeatedPolicyId }: ScreenIds) => ({ id: repeatedPolicyId });
export const policy = ({ policyId }: ScreenIds) => ({ id: policyId });
export const workspace = ({ workspaceId }: ScreenIds) => ({ id: workspaceId });
export const instance = ({ workspaceId, connected: { alias } }: ScreenIds) => ({ id: workspaceId, alias });
export const endpoint = ({ endpointId }: ScreenIds) => ({ id: endpointId });
export const connection = ({ connected: { connectionId } }: ScreenIds) => ({ id: connectionId });
export const person = ({ connected: { personId } }: ScreenIds) => ({ id: personId });

export const decided = ({ decidedId }: ScreenIds) => ({ id: decidedId });
export const approval = ({ approvalId }: ScreenIds) => ({ id: approvalId });

/** The path of an act below /app, with its parameters and query; as `get` and `post` take it. */
export function filledPath(act: string, { params, query }: Filling, ids: ScreenIds): string {
  const values = params?.(ids) ?? {};
  const path = act.slice(act.indexOf(' ') + 1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? randomUUID()));
  const asked = query ? `?${new URLSearchParams(query(ids))}` : '';
  return path.replace(/^\/$/, '') + asked;
}

/** Whether an act shows a page to an owner. */
export function isLookedAt(act: string, { expect, isData }: ScreenRow): boolean {
  return act.startsWith('get ') && !isData && expect.owner === 200;
}

/** The states of a page: the usual one and the others, each with all that it is filled with. */
export function statesOf(row: ScreenRow): { name: string; filling: Filling }[] {
  const { params, query, fields, states = {} } = row;
  const usual: Filling = { ...(params && { params }), ...(query && { query }), ...(fields && { fields }) };
  return [{ name: '', filling: usual }, ...Object.entries(states).map(([name, state]) => ({ name, filling: { ...usual, ...state } }))];
}

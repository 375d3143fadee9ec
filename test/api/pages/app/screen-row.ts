import { randomUUID } from 'node:crypto';
import type { OrgRole } from '../../../../domain/policies/policy.ts';
import type { ConnectedRecords } from './connected-records.ts';

/** The status that an act (a GET or POST of a screen) has for each role. */
type Expected = Record<OrgRole, number>;

/** The values of a row's path, query and form. */
export interface Filling {
  /** Each missing parameter becomes an unknown id. */
  params?: (ids: ScreenIds) => Record<string, string>;
  query?: (ids: ScreenIds) => Record<string, string>;
  fields?: (ids: ScreenIds) => Record<string, string>;
}

export interface ScreenRow extends Filling {
  expect: Expected;
  /** True if the act answers with data or part of a page. */
  isData?: true;
  /** More states of the page to check. */
  states?: Record<string, Filling>;
}

/** Ids of records in the organization of the tests. */
export interface ScreenIds {
  /** Acts may change or remove this viewer and this owner. */
  memberId: string;
  ownerId: string;
  /** A member who has not signed in yet. */
  invitedId: string;
  workspaceId: string;
  keyId: string;
  serverId: string;
  bearerTokenId: string;
  oauthTokenId: string;
  /** A pending approval. */
  approvalId: string;
  /** A pending approval of a program. */
  planId: string;
  decidedId: string;
  /** A waiting run. */
  runId: string;
  finishedRunId: string;
  replayableRunId: string;
  policyId: string;
  /** A policy with twenty approved requests in a row. */
  repeatedPolicyId: string;
  changeId: string;
  /** A failed delivery. */
  deliveryId: string;
  endpointId: string;
  oauthAppId: string;
  connected: ConnectedRecords;
}

/** Expects this status for a role and all higher roles, and 403 for lower roles. */
export function from(least: OrgRole, status = 200): Expected {
  const roles = ['viewer', 'member', 'admin', 'owner'] as const;
  return Object.fromEntries(roles.map((role, index) => [role, index >= roles.indexOf(least) ? status : 403])) as Expected;
}

/** A filling with only this query. */
export const where = (query: Record<string, string>) => ({ query: () => query });
/** The required fields of a new policy, except its name. */
export const POLICY_FIELDS = {
  ...{ decision: 'require_approval', sources: 'rest', timeout: '60', defaultOnTimeout: 'reject', priority: '100', mode: 'enforce' },
  ...{ riskMode: 'rules', endUserMode: 'any', approvalAccessMode: 'dashboard_only' },
};
/** A state of a list in which no record matches the filters. */
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

/** Returns an act's path and query, relative to /app. */
export function filledPath(act: string, { params, query }: Filling, ids: ScreenIds): string {
  const values = params?.(ids) ?? {};
  const path = act.slice(act.indexOf(' ') + 1).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? randomUUID()));
  const asked = query ? `?${new URLSearchParams(query(ids))}` : '';
  return path.replace(/^\/$/, '') + asked;
}

/** Returns true if an act is a GET request that shows a page to an owner. */
export function isLookedAt(act: string, { expect, isData }: ScreenRow): boolean {
  return act.startsWith('get ') && !isData && expect.owner === 200;
}

/** Returns the states of a page, the usual state first. */
export function statesOf(row: ScreenRow): { name: string; filling: Filling }[] {
  const { params, query, fields, states = {} } = row;
  const usual: Filling = { ...(params && { params }), ...(query && { query }), ...(fields && { fields }) };
  return [{ name: '', filling: usual }, ...Object.entries(states).map(([name, state]) => ({ name, filling: { ...usual, ...state } }))];
}

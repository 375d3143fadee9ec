import { normalText } from './normal-text.ts';
import type { ConnectionStrategy, Policy, PolicyFields, Source } from './policy.ts';

/** The properties of a call that filters check. */
export interface FilterSubject {
  workspaceId: string;
  source: Source;
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  integrationName: string;
  integrationAlias: string | null;
  actionName: string;
  connectionStrategy: ConnectionStrategy | null;
  endUserId: string | null;
}

interface Filter {
  name: keyof PolicyFields;
  fits(policy: Policy, subject: FilterSubject): boolean;
  /** Says what matched. */
  wanted(policy: Policy, subject: FilterSubject): string;
  /** Says why the call does not match. */
  found(policy: Policy, subject: FilterSubject): string;
}

/** Whether every filter of a policy matches (specification 2.7). */
export function passesFilters(policy: Policy, subject: FilterSubject): boolean {
  return FILTERS.every((filter) => filter.fits(policy, subject));
}

/** Returns a sentence for each filter: whether it matched, and why. */
export function explainFilters(policy: Policy, subject: FilterSubject): string[] {
  return FILTERS.map((filter) =>
    filter.fits(policy, subject)
      ? `${filter.name}: matched (${filter.wanted(policy, subject)})`
      : `${filter.name}: did not match, ${filter.found(policy, subject)}`,
  );
}

/** Returns the filters of a policy in words for a reviewer. */
export function describeFilters(policy: Policy): string {
  const parts = [
    named('integration', policy.integrationNames),
    named('alias', policy.integrationAliases),
    named('action', policy.actionNames),
    named('connection strategy', policy.connectionStrategies),
    policy.mcpServerIds.length > 0 ? 'this MCP server' : '',
    policy.workspaceIntegrationIds.length > 0 ? 'this workspace integration' : '',
    policy.endUserMode === 'any' ? '' : presence(policy.endUserMode === 'end_user_present'),
  ].filter(Boolean);
  return `policy "${policy.name}" matches ${parts.length > 0 ? parts.join(', ') : 'every action'}`;
}

/** Whether a policy has a filter other than workspace and source. */
export function namesAnything(policy: Policy): boolean {
  const { mcpServerIds, workspaceIntegrationIds, integrationNames, integrationAliases, actionNames, connectionStrategies } = policy;
  const filters = [mcpServerIds, workspaceIntegrationIds, integrationNames, integrationAliases, actionNames, connectionStrategies];
  return policy.endUserMode !== 'any' || filters.some((filter) => filter.length > 0);
}

const FILTERS: readonly Filter[] = [
  {
    name: 'enabled',
    fits: (policy) => policy.enabled,
    wanted: () => 'the policy is on',
    found: () => 'the policy is off',
  },
  {
    name: 'workspaceId',
    fits: (policy, subject) => policy.workspaceId === null || policy.workspaceId === subject.workspaceId,
    wanted: (policy) => (policy.workspaceId === null ? 'any of the organization' : 'this workspace'),
    found: () => 'the policy is for another workspace',
  },
  {
    name: 'sources',
    fits: (policy, subject) => policy.sources.includes(subject.source),
    wanted: (_, subject) => subject.source,
    found: (_, subject) => `the source is ${subject.source}`,
  },
  naming('mcpServerIds', 'MCP server', (subject) => subject.mcpServerId),
  naming('workspaceIntegrationIds', 'workspace integration', (subject) => subject.workspaceIntegrationId),
  naming('integrationNames', 'integration', (subject) => subject.integrationName),
  naming('integrationAliases', 'alias', (subject) => subject.integrationAlias),
  naming('actionNames', 'action', (subject) => subject.actionName),
  naming('connectionStrategies', 'connection strategy', (subject) => subject.connectionStrategy),
  {
    name: 'endUserMode',
    fits: (policy, subject) => policy.endUserMode === 'any' || (policy.endUserMode === 'end_user_present') === (subject.endUserId !== null),
    wanted: (policy, subject) => (policy.endUserMode === 'any' ? 'any' : presence(subject.endUserId !== null)),
    found: (_, subject) => presence(subject.endUserId !== null),
  },
];

type NamingFilter =
  | 'mcpServerIds'
  | 'workspaceIntegrationIds'
  | 'integrationNames'
  | 'integrationAliases'
  | 'actionNames'
  | 'connectionStrategies';

/** An empty list matches any call. Other lists do not match a call without a value of this kind. */
function naming(name: NamingFilter, kind: string, of: (subject: FilterSubject) => string | null): Filter {
  return {
    name,
    fits(policy, subject) {
      const names: readonly string[] = policy[name];
      if (names.length === 0) return true;
      const value = of(subject);
      return value !== null && (names.includes(value) || normalNames(names).has(normalName(value)));
    },
    wanted: (policy, subject) => (policy[name].length === 0 ? 'any' : (of(subject) ?? 'any')),
    found: (_, subject) => {
      const value = of(subject);
      return value === null ? `the call has no ${kind}` : `the ${kind} is ${value}`;
    },
  };
}

/** Returns the form that filters compare, so that another spelling does not disable the policy. */
export function normalName(name: string): string {
  return normalText(name).trim();
}

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns the names in the form that filters compare. Cached per list. */
export function normalNames(names: readonly string[]): ReadonlySet<string> {
  const kept = known.get(names);
  if (kept) return kept;
  const normal = new Set(names.map(normalName));
  known.set(names, normal);
  return normal;
}

function named(kind: string, values: readonly string[]): string {
  return values.length > 0 ? `${kind} ${values.join(' or ')}` : '';
}

function presence(isPresent: boolean): string {
  return isPresent ? 'an end user is present' : 'no end user is present';
}

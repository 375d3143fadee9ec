/** A record whose end or change may break something. */
export type DependedKind =
  | 'workspace'
  | 'workspaceIntegration'
  | 'connection'
  | 'mcpServer'
  | 'suspendedServer'
  | 'mcpToken'
  | 'oauthToken'
  | 'ownIntegration'
  | 'encryptionKey'
  | 'signingKeys'
  | 'endUser'
  | 'apiKey'
  | 'oauthApp'
  | 'policy'
  | 'webhook'
  | 'member';

/** Names of the counts. */
export const DEPENDENT_NAMES = [
  ...(['uses', 'calls', 'integrations', 'servers', 'tokens', 'people', 'connections', 'presets'] as const),
  ...(['policies', 'waiting', 'runs', 'deliveries'] as const),
] as const;

/**
 * What depends on a record. `uses`: calls, or for some kinds approvals, of the last days.
 * `calls`: the calls of the last days, where `uses` are approvals.
 */
export type DependentName = (typeof DEPENDENT_NAMES)[number];

/** How many; with `isMore` at least that many, since counting stopped there. */
export interface DependentCount {
  count: number;
  isMore: boolean;
}

/** All counts; those that make no sense for the kind are 0. */
export type Dependents = Record<DependentName, DependentCount>;

/** `uses` counts those of this time, in days. */
export const DEPENDENT_DAYS = 7;
/** Counts end at this number. */
export const DEPENDENT_CAP = 10_000;

/** Kinds of records that other records depend on. */
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

/** The names of the counts of dependents. */
export const DEPENDENT_NAMES = [
  ...(['uses', 'calls', 'integrations', 'servers', 'tokens', 'people', 'connections', 'presets'] as const),
  ...(['policies', 'waiting', 'runs', 'deliveries'] as const),
] as const;

/**
 * `uses` of a policy, a webhook or a member are approvals; other uses are calls. `calls` are the
 * calls that a policy decided.
 */
export type DependentName = (typeof DEPENDENT_NAMES)[number];

/** A count of dependents. If `isMore` is true, there are at least `count` dependents. */
export interface DependentCount {
  count: number;
  isMore: boolean;
}

/** A count that does not apply to the kind of record is 0. */
export type Dependents = Record<DependentName, DependentCount>;

/** `uses` and `calls` cover this many days. */
export const DEPENDENT_DAYS = 7;
/** Counting stops at this number. */
export const DEPENDENT_CAP = 10_000;

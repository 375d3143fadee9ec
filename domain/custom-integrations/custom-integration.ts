import type { ActionCategory } from '../policies/policy.ts';

/**
 * What happens to calls of a changed action before the decision. `hold`: calls work as before.
 * `block`: calls are refused.
 */
export const ON_CHANGE = ['hold', 'block'] as const;
export type OnChange = (typeof ON_CHANGE)[number];

/** An integration that an organization imported (import contract). */
export interface CustomIntegration {
  id: string;
  orgId: string;
  name: string;
  kind: 'openapi' | 'mcp' | 'declarative';
  /** Each applied change adds 1. */
  version: number;
  /** A new value whenever the content of the integration changes. */
  revision: string;
  /** ERROR: the last refresh failed. Calls still work. */
  status: 'ACTIVE' | 'ERROR';
  lastError: { code: string; message: string } | null;
  /** The parts that all actions share, as imported. */
  head: Record<string, unknown>;
  overrides: Overrides;
  settings: ImportSettings;
  /** 0: there are no scheduled refreshes. */
  refreshEverySeconds: number;
  onChange: OnChange;
  /** Encrypted headers and credentials for fetching the document. */
  sealedFetch: Buffer | null;
  source: { format: string; documentVersion: string | null; documentHash: string };
  report: Record<string, unknown>;
  importedAt: Date;
  checkedAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** An administrator's overrides of the document. A refresh keeps them. */
export interface Overrides {
  displayName?: string;
  description?: string;
  categories?: readonly string[];
  logoUrl?: string;
  actions?: Readonly<Record<string, ActionOverrides>>;
}

/** An administrator's overrides of one action. */
export interface ActionOverrides {
  enabled?: boolean;
  category?: ActionCategory;
  displayName?: string;
  description?: string;
}

/** The settings for a refresh. `url` can contain a secret. */
export interface ImportSettings {
  /** Null if the document was uploaded. */
  url: string | null;
  select?: object;
  auth?: readonly object[] | null;
  baseUrl?: string;
  serverVariables?: Readonly<Record<string, string>>;
  trustAnnotations?: boolean;
}

export const CHANGE_KINDS = ['action_added', 'action_changed', 'action_removed', 'auth_changed', 'server_changed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const CHANGE_STATUSES = ['pending', 'accepted', 'rejected', 'superseded'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

export const DETECTED_BY = ['refresh', 'schedule', 'list_changed'] as const;
export type DetectedBy = (typeof DETECTED_BY)[number];

/** One change that a refresh found (import contract 5). */
export interface CustomChange {
  id: string;
  integrationId: string;
  kind: ChangeKind;
  /** Null for a change of the whole integration. */
  actionName: string | null;
  status: ChangeStatus;
  /** The first differences; long values are cut. */
  fields: readonly ChangedField[];
  fieldCount: number;
  /** Whether `fields` has all differences, with complete values. */
  isComplete: boolean;
  /**
   * SHA-256, hex, of the old and the new content. Null for a change from before digests were
   * stored.
   */
  contentDigest: string | null;
  detectedAt: Date;
  detectedBy: DetectedBy;
  decidedAt: Date | null;
  decidedById: string | null;
  reason: string | null;
}

/** A changed place in a definition. `before` or `after` is null if the place has no value. */
export interface ChangedField {
  /** Dotted path. */
  path: string;
  before: unknown;
  after: unknown;
  /** Set if the path or a value is cut. */
  cut?: true;
  /** The side without a value. Set only if the other side has the value null. */
  absent?: 'before' | 'after';
}

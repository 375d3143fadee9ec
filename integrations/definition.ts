import type { z } from 'zod';
import type { ConnectionType } from '../domain/connection.ts';
import { GatewayError } from '../domain/errors.ts';
import type { OauthEndpoints } from '../domain/oauth/oauth-endpoints.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { ActionCategory } from '../domain/policies/policy.ts';
import type { WorkspaceIntegrationSettings } from '../domain/workspace-integration.ts';
import type { ActionSandbox } from './action-sandbox.ts';
import type { MemoryState, PageState, ThoughtState } from './agent-state.ts';
import type { RemoteTools } from './remote-tools.ts';
import { codeObjectSchema, codeSchema, type ObjectSchema, type ValueSchema } from './schema/value-schema.ts';

export const INTEGRATION_CATEGORIES = [
  'AI',
  'ANALYTICS',
  'COMMERCE',
  'COMMUNICATION',
  'CONTENT_AND_FILES',
  'CUSTOMER_SUPPORT',
  'DEVELOPER_TOOLS',
  'FINANCE',
  'FORMS_AND_SURVEYS',
  'HR_AND_RECRUITING',
  'MARKETING',
  'PROJECT_MANAGEMENT',
  'PRODUCTIVITY',
  'SALES_AND_CRM',
] as const;
type IntegrationCategory = (typeof INTEGRATION_CATEGORIES)[number];

/** An entry of the catalogue: data, and functions that act only through their ActionContext. */
export interface Integration {
  name: string;
  displayName: string;
  description: string;
  logoUrl: string | null;
  categories: readonly IntegrationCategory[];
  /** How an account is connected; null if no account is needed. */
  auth: readonly AuthMethod[] | null;
  actions: Readonly<Record<string, Action>>;
  /** Id of a custom integration; absent for one of the service. */
  customId?: string;
  /** Absent for custom integrations, which are not tested. */
  verification?: Verification;
}

/** How an integration was tested (import contract 7). */
export interface Verification {
  testedAgainst: 'fake' | 'openapi' | 'live';
  /** A date such as 2026-11-22. */
  lastVerified: string;
  /** Addresses of documentation, or packages and paths. */
  sources: readonly string[];
}

/** One way to connect an account. CUSTOM_AUTH has `props`, others may; OAUTH2 has `oauth2`. */
export interface AuthMethod {
  key: string;
  type: ConnectionType;
  displayName: string;
  description: string;
  /** A field is a secret unless its schema says `public: true`. */
  props?: ObjectSchema;
  oauth2?: OauthEndpoints;
  isSentInHeader?: true; // the secret as it is, so it may hold only what a header can carry
}

/** Credentials of the connection of a call. Never logged, never part of an answer. */
export type AuthValue = (
  | { type: 'SECRET_TEXT'; secretText: string }
  | { type: 'BASIC_AUTH'; username: string; password: string; props?: Readonly<Record<string, unknown>> }
  | { type: 'CUSTOM_AUTH'; props: Readonly<Record<string, unknown>> }
  | { type: 'OAUTH2' | 'PLATFORM_OAUTH2'; accessToken: string; data: Readonly<Record<string, unknown>> }
) & {
  /** The auth method that the account was connected by. Absent: the first one of its type. */
  methodKey?: string;
};

/** The operation or tool from which an action was imported. */
export type ActionSource =
  /** `GET /pets/{petId}`, as the document writes the path. */
  { operation: string; operationId?: string } | { tool: string };

/** Properties that only actions of custom integrations have (import contract). */
export interface OwnAction {
  source: ActionSource;
  categoryFrom: string;
  isEnabled: boolean;
  /** A change that waits for a decision. */
  pending: 'changed' | 'removed' | undefined;
  /** Whether a change that waits stops calls. */
  blocksOnChange: boolean;
  /** SHA-256, hex, of all that a call depends on. An approval is valid for one such hash. */
  definitionHash: string;
}

/** One action. Methods take the input as `input` parsed it. */
export interface Action<Input = Record<string, unknown>, Output = unknown> {
  displayName: string;
  description: string;
  /** What the action is in general, for the catalogue and tool annotations. */
  category: ActionCategory;
  /** The category of this call, for policies. */
  categoryOf(input: Input): ActionCategory;
  /** Further categories that the third party may treat this call as. Policies check each. */
  otherCategoriesOf?(input: Input): ActionCategory[];
  /** True if a call whose outcome is unknown may be repeated. */
  idempotent: boolean;
  input: ObjectSchema<Input>;
  output: ValueSchema<Output>;
  /**
   * Fills in missing inputs from public properties of the account. Runs before the gate, so that
   * policies, reviewers and the hash see the result. Keeps inputs that the call has.
   */
  completeInput?(input: Input, account: AuthValue): Input;
  /** Recipients (addresses, handles). Absent: policies use the usual field names. */
  recipients?(input: Input): string[];
  /** Normalized storage paths that this call touches. */
  paths?(input: Input): string[];
  /** Inputs whose choices or fields only the third party knows, by name. */
  dynamic?: Readonly<Record<string, DynamicProp>>;
  /**
   * Whether a call needs an account. Absent: yes if the integration has auth methods. `optional`:
   * an account is used if there is one.
   */
  account?: 'none' | 'optional';
  /** Time limit of a call under these settings. Absent: the general limit. */
  deadlineSeconds?(settings: WorkspaceIntegrationSettings): number;
  /** Set for an action of a custom integration. */
  own?: OwnAction;
  run(context: ActionContext<Input>): Output | Promise<Output>;
}

/** An input with either `options` or `fields` that depend on the account and other inputs. */
export interface DynamicProp {
  /** Inputs that the answer depends on. */
  refreshers: readonly string[];
  options?(context: PropContext): Promise<PropOption[]>;
  /** The fields of an object input, as the object's own schema. */
  fields?(context: PropContext): Promise<z.ZodObject>;
}

export interface PropOption {
  label: string;
  value: unknown;
}

/** Context of a dynamic input: the account, and the inputs so far, not validated. */
export interface PropContext {
  input: Readonly<Record<string, unknown>>;
  /** Search text. */
  search: string | undefined;
  auth: AuthValue | null;
  signal: AbortSignal;
  outbound: Outbound;
}

/** Everything that an action can access. */
export interface ActionContext<Input = Record<string, unknown>> {
  input: Input;
  auth: AuthValue | null;
  now(): Date;
  /** Aborted at the deadline of the call. */
  signal: AbortSignal;
  outbound: Outbound;
  /** Throws END_USER_REQUIRED if state is kept per end user and the call names none. */
  state(): State;
  sandbox(): ActionSandbox;
  remoteTools(): RemoteTools;
  /** Runs CPU-bound work in a slot of the fair scheduler. Rejects at the deadline. */
  schedule<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** State between calls, in the persistence scope of the instance (specification 2.6). */
export interface State {
  kv: KvState;
  files: FileState;
  memory: MemoryState;
  pages: PageState;
  thoughts: ThoughtState;
}

/** JSON values by key. */
export interface KvState {
  /** Undefined if nothing is stored. */
  get(key: string): Promise<{ value: unknown; updatedAt: Date } | undefined>;
  put(key: string, value: unknown): Promise<void>;
  /** True if there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Appends to a list, creating it if needed. Throws ACTION_FAILED for a value of another type. */
  addToList(key: string, value: unknown): Promise<{ length: number }>;
  /** Removes every item equal to the value. */
  removeFromList(key: string, value: unknown): Promise<{ removed: number; length: number }>;
}

export interface StoredFileInfo {
  path: string;
  contentType: string;
  sizeBytes: number;
  updatedAt: Date;
}

/** Files by normalised path. */
export interface FileState {
  read(path: string): Promise<(StoredFileInfo & { content: Buffer }) | undefined>;
  write(path: string, file: { content: Buffer; contentType: string }): Promise<StoredFileInfo>;
  /** True if there was something to delete. */
  delete(path: string): Promise<boolean>;
  /** Ordered by path. `truncated`: there are more files. */
  list(prefix: string): Promise<{ files: StoredFileInfo[]; truncated: boolean }>;
  /** Public URL of the file until it expires. Undefined if there is no such file. */
  downloadUrl(path: string, expiresInSeconds: number): Promise<{ url: string; expiresAt: Date } | undefined>;
}

/** An expected failure of an action. The message is for the caller and holds no secrets. */
export class ActionError extends GatewayError {
  constructor(message: string, details?: Record<string, unknown>, options?: ErrorOptions) {
    super('ACTION_FAILED', message, details, options);
    this.name = 'ActionError';
  }
}

/** Defines an integration. */
export function integration(definition: Integration): Integration {
  return definition;
}

type ActionDefinition<Input extends z.ZodObject, Output extends z.ZodType> = Omit<
  Action<z.output<Input>, z.output<Output>>,
  'categoryOf' | 'idempotent' | 'input' | 'output'
> &
  Partial<Pick<Action<z.output<Input>>, 'categoryOf' | 'idempotent'>> & { input: Input; output: Output };

/**
 * Defines an action. Unknown input keys are refused. By default, reads are idempotent and each call
 * has the action's category.
 */
export function action<Input extends z.ZodObject, Output extends z.ZodType>({
  input,
  output,
  ...definition
}: ActionDefinition<Input, Output>): Action<z.output<Input>, z.output<Output>> {
  return {
    idempotent: definition.category === 'read',
    categoryOf: () => definition.category,
    ...definition,
    input: codeObjectSchema(input),
    output: codeSchema(output, 'output'),
  };
}

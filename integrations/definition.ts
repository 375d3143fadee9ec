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

/** An integration: data, and functions that reach the outside only through their context. */
export interface Integration {
  name: string;
  displayName: string;
  description: string;
  logoUrl: string | null;
  categories: readonly IntegrationCategory[];
  /** Null if no account is needed. */
  auth: readonly AuthMethod[] | null;
  actions: Readonly<Record<string, Action>>;
  /** Set only for custom integrations. */
  customId?: string;
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

/** A way to connect an account. CUSTOM_AUTH must have `props`, OAUTH2 must have `oauth2`. */
export interface AuthMethod {
  key: string;
  type: ConnectionType;
  displayName: string;
  description: string;
  /** A field is a secret unless its schema says `public: true`. */
  props?: ObjectSchema;
  oauth2?: OauthEndpoints;
  isSentInHeader?: true; // the secret goes unchanged into a header, which limits its characters
}

/** The credentials of a call's connection. Code must not log or return them. */
export type AuthValue = (
  | { type: 'SECRET_TEXT'; secretText: string }
  | { type: 'BASIC_AUTH'; username: string; password: string; props?: Readonly<Record<string, unknown>> }
  | { type: 'CUSTOM_AUTH'; props: Readonly<Record<string, unknown>> }
  | { type: 'OAUTH2' | 'PLATFORM_OAUTH2'; accessToken: string; data: Readonly<Record<string, unknown>> }
) & {
  /** Key of the method that connected the account. Default: the first method of this type. */
  methodKey?: string;
};

/** The operation or tool from which an action was imported. */
export type ActionSource =
  /** Such as `GET /pets/{petId}`, with the path as the document writes it. */
  { operation: string; operationId?: string } | { tool: string };

/** Properties of the actions of custom integrations (import contract). */
export interface OwnAction {
  source: ActionSource;
  categoryFrom: string;
  isEnabled: boolean;
  pending: 'changed' | 'removed' | undefined;
  blocksOnChange: boolean;
  /** SHA-256 of all that a call depends on. An approval is valid only for this hash. */
  definitionHash: string;
}

/** An action. `run` gets parsed input. */
export interface Action<Input = Record<string, unknown>, Output = unknown> {
  displayName: string;
  description: string;
  /** The usual category, for the catalogue and tool annotations. */
  category: ActionCategory;
  /** The category of this call, for policies. */
  categoryOf(input: Input): ActionCategory;
  /** Further categories that this call may have. Policies check each of them. */
  otherCategoriesOf?(input: Input): ActionCategory[];
  /** Whether a call with an unknown outcome may be repeated. */
  idempotent: boolean;
  input: ObjectSchema<Input>;
  output: ValueSchema<Output>;
  /**
   * Fills in missing inputs from public properties of the account, before policies check the call.
   */
  completeInput?(input: Input, account: AuthValue): Input;
  /** Addresses or handles. If not set, policies read the usual field names. */
  recipients?(input: Input): string[];
  /** Normalized storage paths. */
  paths?(input: Input): string[];
  /** Inputs whose choices or fields only the third party knows. */
  dynamic?: Readonly<Record<string, DynamicProp>>;
  /** `none`: calls use no account. `optional`: calls use an account if there is one. */
  account?: 'none' | 'optional';
  /** Time limit of a call. Default: the general limit. */
  deadlineSeconds?(settings: WorkspaceIntegrationSettings): number;
  own?: OwnAction;
  run(context: ActionContext<Input>): Output | Promise<Output>;
}

/** An input with `options` or `fields` that depend on the account and other inputs. */
export interface DynamicProp {
  refreshers: readonly string[];
  options?(context: PropContext): Promise<PropOption[]>;
  fields?(context: PropContext): Promise<z.ZodObject>;
}

export interface PropOption {
  label: string;
  value: unknown;
}

/** The context of a dynamic input. `input` is not validated. */
export interface PropContext {
  input: Readonly<Record<string, unknown>>;
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
  /** Throws END_USER_REQUIRED or ActionError if the owner of the state is missing. */
  state(): State;
  sandbox(): ActionSandbox;
  remoteTools(): RemoteTools;
  /** Runs CPU-bound work when a slot is free. Rejects at the deadline. */
  schedule<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** State between calls, in the workspace integration's persistence scope (specification 2.6). */
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
  delete(key: string): Promise<boolean>;
  /** Appends to a list, or creates it. Throws ACTION_FAILED if the value is not a list. */
  addToList(key: string, value: unknown): Promise<{ length: number }>;
  removeFromList(key: string, value: unknown): Promise<{ removed: number; length: number }>;
}

export interface StoredFileInfo {
  path: string;
  contentType: string;
  sizeBytes: number;
  updatedAt: Date;
}

/** Files, by normalized path. */
export interface FileState {
  read(path: string): Promise<(StoredFileInfo & { content: Buffer }) | undefined>;
  write(path: string, file: { content: Buffer; contentType: string }): Promise<StoredFileInfo>;
  delete(path: string): Promise<boolean>;
  /** Sorted by path. `truncated`: whether there are more files. */
  list(prefix: string): Promise<{ files: StoredFileInfo[]; truncated: boolean }>;
  /** A public URL. Undefined if there is no such file. */
  downloadUrl(path: string, expiresInSeconds: number): Promise<{ url: string; expiresAt: Date } | undefined>;
}

/** An expected failure of an action. Its message is for the caller and contains no secrets. */
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

/** Defines an action. Unknown input keys are refused. By default, reads are idempotent. */
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

import type { z } from 'zod';
import type { ConnectionType } from '../domain/connection.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { ActionCategory } from '../domain/policy.ts';
import type { WorkspaceIntegrationSettings } from '../domain/workspace-integration.ts';
import type { ActionSandbox } from './action-sandbox.ts';
import type { MemoryState, PageState, ThoughtState } from './agent-state.ts';

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
export type IntegrationCategory = (typeof INTEGRATION_CATEGORIES)[number];

/** An entry of the catalogue: data, and functions that can do nothing without the ActionContext they are given. */
export interface Integration {
  name: string;
  displayName: string;
  description: string;
  logoUrl: string | null;
  categories: readonly IntegrationCategory[];
  /** How an account is linked; null where none is needed. */
  auth: readonly AuthMethod[] | null;
  actions: Readonly<Record<string, Action>>;
}

/** One way to link an account. `props` describes the fields of CUSTOM_AUTH, `oauth2` where consent is asked for OAUTH2. */
export interface AuthMethod {
  key: string;
  type: ConnectionType;
  displayName: string;
  description: string;
  props?: z.ZodObject;
  oauth2?: { authorizationUrl: string; tokenUrl: string; scopes: readonly string[] };
}

/** The credentials of the connection that was resolved for a call. Never logged, never answered. */
export type AuthValue =
  | { type: 'SECRET_TEXT'; secretText: string }
  | { type: 'BASIC_AUTH'; username: string; password: string }
  | { type: 'CUSTOM_AUTH'; props: Readonly<Record<string, unknown>> }
  | { type: 'OAUTH2' | 'PLATFORM_OAUTH2'; accessToken: string; data: Readonly<Record<string, unknown>> };

/** One action. Methods take the input as `input` parsed it. */
export interface Action<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  displayName: string;
  description: string;
  /** What the action is in general, for the catalogue and tool annotations. */
  category: ActionCategory;
  /** What this very call is, for policies. */
  categoryOf(input: z.output<Input>): ActionCategory;
  /** Whether a call whose outcome is unknown may simply be made again. */
  idempotent: boolean;
  input: Input;
  output: Output;
  /**
   * The input with what the account decides where the call leaves it out, before the call is judged, shown and hashed:
   * public facts alone. What the call says itself stays.
   */
  completeInput?(input: z.output<Input>, account: AuthValue): z.output<Input>;
  /** Whom this call reaches (addresses, handles); absent: policies look at the usual field names. */
  recipients?(input: z.output<Input>): string[];
  /** Which storage paths this call touches, normalised. */
  paths?(input: z.output<Input>): string[];
  /** Inputs whose choices or fields only the third party knows, by name. */
  dynamic?: Readonly<Record<string, DynamicProp>>;
  /** How long a call may take under these settings; absent: as every other. */
  deadlineSeconds?(settings: WorkspaceIntegrationSettings): number;
  run(context: ActionContext<z.output<Input>>): z.output<Output> | Promise<z.output<Output>>;
}

/** An input whose choices or fields depend on the account and on other inputs. It has either `options` or `fields`. */
export interface DynamicProp {
  /** Inputs that the answer depends on: ask again when one of them changes. */
  refreshers: readonly string[];
  options?(context: PropContext): Promise<PropOption[]>;
  /** The fields of an object input, as the object's own schema. */
  fields?(context: PropContext): Promise<z.ZodObject>;
}

export interface PropOption {
  label: string;
  value: unknown;
}

/** What answering for a dynamic input may use: what was filled in so far, unchecked, and the account. */
export interface PropContext {
  input: Readonly<Record<string, unknown>>;
  /** What the person typed to narrow the choices down. */
  search: string | undefined;
  auth: AuthValue | null;
  signal: AbortSignal;
  outbound: Outbound;
}

/** All that an action can reach. */
export interface ActionContext<Input = Record<string, unknown>> {
  input: Input;
  auth: AuthValue | null;
  now(): Date;
  /** Aborted at the deadline of the call. */
  signal: AbortSignal;
  outbound: Outbound;
  /** Throws END_USER_REQUIRED where state is kept for each end user and the call names none. */
  state(): State;
  sandbox(): ActionSandbox;
  /** Work that takes a core of this machine waits here for its turn, which is fair between callers. Rejects at the deadline. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What an integration keeps between calls, under the persistence scope of its workspace integration (specification 2.6). */
export interface State {
  kv: KvState;
  files: FileState;
  memory: MemoryState;
  pages: PageState;
  thoughts: ThoughtState;
}

/** Values by key. A value is anything that JSON can say. */
export interface KvState {
  /** Undefined where nothing is stored. */
  get(key: string): Promise<{ value: unknown; updatedAt: Date } | undefined>;
  put(key: string, value: unknown): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Appends, making the list where there is none; answers the new length. ACTION_FAILED where the key holds something else. */
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
  /** Whether there was something to delete. */
  delete(path: string): Promise<boolean>;
  /** Ordered by path, and whether there are more than the list holds. */
  list(prefix: string): Promise<{ files: StoredFileInfo[]; truncated: boolean }>;
  /** An address that anybody may fetch the file from until it expires; undefined where there is no such file. */
  downloadUrl(path: string, expiresInSeconds: number): Promise<{ url: string; expiresAt: Date } | undefined>;
}

/** An expected failure of an action: what went wrong, for the caller, without secrets. */
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

type ActionDefinition<Input extends z.ZodObject, Output extends z.ZodType> = Omit<Action<Input, Output>, 'categoryOf' | 'idempotent'> &
  Partial<Pick<Action<Input, Output>, 'categoryOf' | 'idempotent'>>;

/** Defines an action: unknown input keys are refused, reads may be repeated, and a call is of the action's category unless it says otherwise. */
export function action<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: ActionDefinition<Input, Output>,
): Action<Input, Output> {
  return {
    idempotent: definition.category === 'read',
    categoryOf: () => definition.category,
    ...definition,
    input: definition.input.strict() as Input,
  };
}

import type { ConnectionType } from '../../domain/connection.ts';
import type { OauthEndpoints } from '../../domain/oauth/oauth-endpoints.ts';
import type { ActionCategory } from '../../domain/policies/policy.ts';
import type { Integration, Verification } from '../definition.ts';
import type { Format } from '../provider-call.ts';
import type { RequestShape } from '../provider-request.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import type { Condition } from './condition.ts';
import type { ErrorDocument } from './error-reader.ts';
import type { OperationCall } from './operation.ts';
import type { PagingDocument } from './paging.ts';
import type { Template } from './template.ts';

/** An integration as data (docs/providers.md). */
export interface ProviderDocument {
  format: 1;
  displayName: string;
  description: string;
  categories: Integration['categories'];
  logoUrl?: string | null;
  auth: readonly AuthDocument[] | null;
  baseUrl: string;
  authenticate?: AuthenticateDocument;
  headers?: Readonly<Record<string, Template>>;
  errors?: ErrorDocument | readonly ErrorDocument[];
  refusals?: ErrorDocument | readonly ErrorDocument[];
  accountDefaults?: readonly string[];
  verification?: Verification;
  /** Explains how to get credentials. Shown on the page of the provider. */
  setup?: string;
  /** Schemas that actions refer to as `#/$defs/name`. */
  $defs?: Readonly<Record<string, JsonSchema>>;
  /** Choices that actions refer to by name. */
  choices?: Readonly<Record<string, ChoicesDocument>>;
  /** The meaning of `paging: true` in an action or in choices. */
  paging?: PagingDocument;
  actions: Readonly<Record<string, ActionDocument>>;
}

/** An auth method, and the parts of the document that it overrides. */
export interface AuthDocument {
  key: string;
  type: ConnectionType;
  displayName: string;
  description?: string;
  props?: JsonSchema;
  oauth2?: OauthEndpoints;
  authenticate?: AuthenticateDocument;
  baseUrl?: string;
}

/** The token endpoint for client credentials. */
export interface ClientCredentials {
  /** May contain `{account.prop}`, like a base URL. */
  tokenUrl: string;
  scopes?: readonly string[];
  /** Default: `basic`. */
  clientAuth?: 'basic' | 'body';
}

/** How credentials are added to a request. `{account.…}` in a template may name a secret. */
export type AuthenticateDocument =
  | 'bearer'
  | 'basic'
  | { header: string; prefix?: string }
  | { query: string }
  | ({ basic: { username: string; password: string } } & SentWithAccount)
  /** A token that the API issues for the props `clientId` and `clientSecret` (RFC 6749, 4.4). */
  | { clientCredentials: ClientCredentials }
  | SentWithAccount;

interface SentWithAccount {
  headers?: Readonly<Record<string, string>>;
  parameters?: Readonly<Record<string, string>>;
}

export interface ActionDocument {
  displayName: string;
  description: string;
  category: ActionCategory;
  idempotent?: boolean;
  input?: JsonSchema;
  output: JsonSchema;
  request?: RequestDocument;
  /** Replaces `request` in documents that were imported from OpenAPI. */
  operation?: OperationCall;
  baseUrl?: string;
  format?: Format;
  timeoutSeconds?: number;
  maxBytes?: number;
  answer?: Template;
  paging?: PagingDocument | true;
  dynamic?: Readonly<Record<string, ChoicesDocument | string>>;
  recipients?: readonly string[];
  paths?: readonly string[];
}

export interface RequestDocument {
  method?: RequestShape['method'];
  path: string;
  query?: Template;
  headers?: Template;
  json?: Template;
  form?: Template;
  multipart?: Template;
  bytes?: Template;
}

export interface ChoicesDocument {
  request: RequestDocument;
  format?: Format;
  /** The path of the list in the body. Default: the whole body. */
  items?: string;
  /** Paths into an item, or templates. The first non-empty text is used. */
  label: string | readonly string[];
  sorted?: boolean;
  value: string;
  where?: Condition | readonly Condition[];
  /** Inputs on which the choices depend. Default: the inputs in `request.path`. */
  refreshers?: readonly string[];
  search?: string;
  paging?: PagingDocument | true;
}

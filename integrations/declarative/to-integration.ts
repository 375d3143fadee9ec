import type { Action, AuthMethod, AuthValue, Integration } from '../definition.ts';
import type { Authenticate } from '../provider-auth.ts';
import type { Upstream } from '../provider-call.ts';
import { inputSchema } from '../schema/json-schema.ts';
import { authenticateBy, baseUrlBy } from './authenticate.ts';
import type { AuthDocument, AuthenticateDocument, ProviderDocument } from './document.ts';
import { errorReader } from './error-reader.ts';
import { inlineReferences } from './inline-references.ts';
import { markOf } from './logo.ts';
import { render } from './template.ts';
import { type ActionCode, toAction } from './to-action.ts';

/** The parts of a provider that need code. */
export interface ProviderCode {
  authenticate?: Authenticate;
  baseUrl?: (auth: AuthValue) => string;
  /** The code of actions, by action name. */
  actions?: Readonly<Record<string, ActionCode>>;
}

/** Builds the integration that a valid document describes. */
export function toIntegration(name: string, document: ProviderDocument, code: ProviderCode = {}): Integration {
  const { displayName, description, categories, logoUrl, verification } = document;
  const authenticate = code.authenticate ? undefined : document.authenticate;
  const auth = document.auth?.map((method) => toAuthMethod(method, { authenticate, $defs: document.$defs })) ?? null;
  const upstream = toUpstream(document, auth ?? [], code);
  const actions: Record<string, Action> = {};
  for (const [key, action] of Object.entries(document.actions)) {
    actions[key] = toAction(upstream, document, action, code.actions?.[key]);
  }
  return {
    ...{ name, displayName, description, categories, auth, actions },
    logoUrl: logoUrl ?? markOf(name, displayName),
    ...(verification && { verification }),
  };
}

/** The third party of a document: its address and its conventions. */
export function toUpstream(document: Omit<ProviderDocument, 'actions'>, auth: readonly AuthMethod[], code: ProviderCode = {}): Upstream {
  const { displayName, headers, errors, refusals, accountDefaults } = document;
  return {
    ...{ displayName, auth },
    baseUrl: code.baseUrl ?? baseUrlBy(document),
    authenticate: code.authenticate ?? authenticateBy(document),
    ...(headers && { headers: (account, service) => lowerCased((render(headers, { account, service }) ?? {}) as Record<string, unknown>) }),
    ...(errors && { errors: errorReader(errors) }),
    ...(refusals && { refusals: errorReader(refusals) }),
    ...(accountDefaults && { accountDefaults }),
  };
}

function lowerCased(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Converts an auth method of a document. */
export function toAuthMethod(
  { key, type, displayName, description = '', props, oauth2, authenticate }: AuthDocument,
  document: Pick<ProviderDocument, 'authenticate' | '$defs'>,
): AuthMethod {
  return {
    ...{ key, type, displayName, description },
    ...(props && { props: inputSchema(inlineReferences(props, document.$defs)) }),
    ...(oauth2 && { oauth2 }),
    ...(isSentInHeader(authenticate ?? document.authenticate) && { isSentInHeader: true }),
  };
}

/** Whether a header contains the secret unchanged. False for templates, which may change it. */
function isSentInHeader(how: AuthenticateDocument | undefined): boolean {
  return how === 'bearer' || (typeof how === 'object' && 'header' in how);
}

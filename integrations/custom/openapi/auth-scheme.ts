import type { AuthDocument } from '../../declarative/document.ts';
import { isObject } from '../../schema/evaluation.ts';
import { textsOf } from './media-types.ts';
import { lineOf } from './texts.ts';

/** A security scheme, with the scopes that a requirement lists for it. */
export interface SchemeUse {
  name: string;
  displayName: string;
  description: string;
  how: Scheme;
  scopes: readonly string[];
}

type Scheme =
  | { kind: 'bearer' }
  | { kind: 'basic' }
  | { kind: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string }
  | { kind: 'oauth2'; code?: Endpoints | undefined; client?: { tokenUrl: string } | undefined };

interface Endpoints {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string;
}

/**
 * An auth method without its key. `filled`: the parameters that its credentials fill, such as
 * `header:x-api-key`.
 */
export interface MethodOfScheme {
  method: Omit<AuthDocument, 'key'>;
  filled: readonly string[];
}

/** Returns a problem if the security scheme cannot be used. */
export function schemeOf(
  name: string,
  scheme: Record<string, unknown>,
  scopes: unknown,
  base: string | undefined,
): SchemeUse | { problem: string } {
  const how = howOf(scheme, base);
  if (!how) return { problem: `The security scheme ${JSON.stringify(name.slice(0, 100))} has a kind or a name that is not supported.` };
  return {
    ...{ name, how },
    displayName: lineOf(name, 100) ?? 'Account',
    description: lineOf(scheme.description, 2000) ?? '',
    scopes: textsOf(scopes),
  };
}

function howOf(scheme: Record<string, unknown>, base: string | undefined): Scheme | undefined {
  const { type, scheme: http, name, in: place } = scheme;
  switch (type) {
    case 'basic':
      return { kind: 'basic' };
    case 'http':
      return String(http).toLowerCase() === 'basic'
        ? { kind: 'basic' }
        : String(http).toLowerCase() === 'bearer'
          ? { kind: 'bearer' }
          : undefined;
    case 'openIdConnect':
      return { kind: 'bearer' };
    case 'apiKey':
      if (typeof name !== 'string' || !isPlace(place)) return undefined;
      return place === 'query'
        ? name.length <= 100
          ? { kind: 'apiKey', in: place, name }
          : undefined
        : TOKEN.test(name)
          ? { kind: 'apiKey', in: place, name }
          : undefined;
    case 'oauth2':
      return oauth2Of(scheme, base);
    default:
      return undefined;
  }
}

/** Tokens (RFC 9110) that start with a letter, a digit or `_`. */
const TOKEN = /^\w[\w!#$%&'*+.^`|~-]{0,99}$/;

function isPlace(place: unknown): place is 'header' | 'query' | 'cookie' {
  return place === 'header' || place === 'query' || place === 'cookie';
}

/** OpenAPI 3 has several flows, Swagger 2 a single one. */
function oauth2Of(scheme: Record<string, unknown>, base: string | undefined): Scheme {
  const flows = isObject(scheme.flows) ? scheme.flows : {};
  const code = isObject(flows.authorizationCode) ? flows.authorizationCode : scheme.flow === 'accessCode' ? scheme : undefined;
  const client = isObject(flows.clientCredentials) ? flows.clientCredentials : scheme.flow === 'application' ? scheme : undefined;
  const tokenUrl = client && addressOf(client.tokenUrl, base);
  return { kind: 'oauth2', code: code && endpointsOf(code, base), client: tokenUrl === undefined ? undefined : { tokenUrl } };
}

function endpointsOf(flow: Record<string, unknown>, base: string | undefined): Endpoints | undefined {
  const authorizationUrl = addressOf(flow.authorizationUrl, base);
  const tokenUrl = addressOf(flow.tokenUrl, base);
  const refreshUrl = addressOf(flow.refreshUrl, base);
  if (authorizationUrl === undefined || tokenUrl === undefined) return undefined;
  return { authorizationUrl, tokenUrl, ...(refreshUrl !== undefined && { refreshUrl }) };
}

function addressOf(text: unknown, base: string | undefined): string | undefined {
  const url = typeof text === 'string' && text !== '' && text.length <= 2000 ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username ? url.href : undefined;
}

/** Returns the auth methods for one security scheme. */
export function methodFor({ how, displayName, description }: SchemeUse): MethodOfScheme[] {
  const about = { displayName, description };
  const secret = { ...about, type: 'SECRET_TEXT' as const };
  switch (how.kind) {
    case 'bearer':
      return [{ method: { ...secret, authenticate: 'bearer' }, filled: [] }];
    case 'basic':
      return [{ method: { ...about, type: 'BASIC_AUTH', authenticate: 'basic' }, filled: [] }];
    case 'apiKey':
      return [
        {
          method: { ...secret, authenticate: keyPlace(how) },
          filled: [`${how.in}:${how.in === 'header' ? how.name.toLowerCase() : how.name}`],
        },
      ];
    case 'oauth2':
      return oauthMethods(how, about);
  }
}

function keyPlace({ in: place, name }: Extract<Scheme, { kind: 'apiKey' }>): NonNullable<AuthDocument['authenticate']> {
  if (place === 'query') return { query: name };
  return place === 'header' ? { header: name } : { headers: { cookie: `${name}={account.secretText}` } };
}

function oauthMethods(
  { code, client }: Extract<Scheme, { kind: 'oauth2' }>,
  about: Pick<AuthDocument, 'displayName' | 'description'>,
): MethodOfScheme[] {
  const methods: MethodOfScheme['method'][] = [
    ...(code ? [{ ...about, type: 'OAUTH2' as const, oauth2: { ...code, scopes: [] }, authenticate: 'bearer' as const }] : []),
    ...(client ? [{ ...about, type: 'CUSTOM_AUTH' as const, props: CLIENT, authenticate: { clientCredentials: client } }] : []),
  ];
  const offered = methods.length > 0 ? methods : [{ ...about, type: 'SECRET_TEXT' as const, authenticate: 'bearer' as const }];
  return offered.map((method) => ({ method, filled: [] }));
}

const CLIENT = {
  type: 'object',
  properties: { clientId: { type: 'string', title: 'Client id', public: true }, clientSecret: { type: 'string', title: 'Client secret' } },
  required: ['clientId', 'clientSecret'],
};

import { GatewayError } from '../domain/errors.ts';
import { isSecretName } from '../domain/redaction/is-secret-name.ts';
import { type ActionContext, ActionError, type AuthMethod, type AuthValue } from './definition.ts';
import type { Account, Outgoing } from './provider-request.ts';
import { isPublicField } from './schema/value-schema.ts';

/** Puts the credentials of an account into a request. */
export type Authenticate = (request: Outgoing, auth: AuthValue, now: Date, reach: AuthReach) => Outgoing | Promise<Outgoing>;

type AuthReach = Pick<ActionContext, 'outbound'>;

/** Sends the secret text or the access token in a header, after a prefix. */
export function inHeader(name: string, prefix = ''): Authenticate {
  return (request, auth) => ({ ...request, headers: { ...request.headers, [name]: prefix + tokenOf(auth) } });
}

/** Sends `Authorization: Bearer <secret text or access token>`. */
export const bearer: Authenticate = inHeader('authorization', 'Bearer ');

/** Sends `Authorization: Basic <user name and password>`. */
export const basic: Authenticate = (request, auth) => {
  if (auth.type !== 'BASIC_AUTH') throw wrongType(auth);
  const token = basicToken(auth);
  // A third party may echo the header, and its base64 contains the password.
  const secrets = [...(request.secrets ?? []), token];
  return { ...request, headers: { ...request.headers, authorization: `Basic ${token}` }, secrets };
};

/** Sends the secret text or the access token as a query parameter. */
export function inQuery(name: string): Authenticate {
  return (request, auth) => {
    const url = new URL(request.url);
    url.searchParams.set(name, tokenOf(auth));
    return { ...request, url };
  };
}

/** The user name and password in base64, as Basic authentication sends them. */
export function basicToken({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

/**
 * Checks the account of a call and parses its props. Throws CONNECTION_REQUIRED without an account,
 * and ActionError if its type or its props are not valid.
 */
export function accountOf({ displayName, auth: methods }: { displayName: string; auth: readonly AuthMethod[] }, auth: AuthValue | null) {
  if (!auth) throw new GatewayError('CONNECTION_REQUIRED', `${displayName} needs a connected account.`);
  const method = methodOf(methods, auth);
  if (!method) throw new ActionError(`${displayName} does not accept an account of the type ${auth.type}.`);
  if (!method.props || auth.type === 'SECRET_TEXT') return auth;
  const props = method.props.parse('data' in auth ? pick(auth.data, method.props.keys) : (auth.props ?? {}));
  if (props.ok) return 'data' in auth ? { ...auth, data: { ...auth.data, ...props.value } } : { ...auth, props: props.value };
  const names = [...new Set(props.issues.map(({ path }) => path.split('.')[0]))].join(', ');
  throw new ActionError(`The connected account of ${displayName} is not complete: ${names}. Connect it again.`, { reason: 'unauthorized' });
}

/** Leaves out the fields of the token response, which are stored with the props. */
function pick(data: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => keys.includes(name)));
}

/** The auth method of an account: the method with `methodKey`, or the first of the same type. */
export function methodOf<Method extends Pick<AuthMethod, 'key' | 'type'>>(methods: readonly Method[], auth: AuthValue): Method | undefined {
  const ofType = methods.filter(({ type }) => family(type) === family(auth.type));
  return ofType.find(({ key }) => key === auth.methodKey) ?? ofType[0];
}

/**
 * The values of an account that may be shown. Token data with the name of a secret are left out.
 */
export function publicAccount(methods: readonly AuthMethod[], auth: AuthValue): Account {
  switch (auth.type) {
    case 'SECRET_TEXT':
      return {};
    case 'BASIC_AUTH':
      return { username: auth.username, ...publicProps(methods, auth.props) };
    case 'CUSTOM_AUTH':
      return publicProps(methods, auth.props);
    default:
      return Object.fromEntries(Object.entries(auth.data).filter(([name]) => !isSecretName(name)));
  }
}

function publicProps(methods: readonly AuthMethod[], given: Readonly<Record<string, unknown>> = {}): Account {
  const isPublic = (name: string) => methods.some(({ props }) => props !== undefined && isPublicField(props, name));
  return Object.fromEntries(Object.entries(given).filter(([name]) => isPublic(name)));
}

function family(type: AuthValue['type']): string {
  return type === 'PLATFORM_OAUTH2' ? 'OAUTH2' : type;
}

function tokenOf(auth: AuthValue): string {
  if (auth.type === 'SECRET_TEXT') return auth.secretText;
  if (auth.type === 'OAUTH2' || auth.type === 'PLATFORM_OAUTH2') return auth.accessToken;
  throw wrongType(auth);
}

function wrongType(auth: AuthValue): TypeError {
  return new TypeError(`this kind of authentication does not support ${auth.type}`);
}

import { GatewayError } from '../domain/errors.ts';
import { ActionError, type AuthMethod, type AuthValue } from './definition.ts';
import type { Outgoing } from './provider-request.ts';

/** Puts the credentials of an account into a request. */
export type Authenticate = (request: Outgoing, auth: AuthValue, now: Date) => Outgoing | Promise<Outgoing>;

/** The secret text or the access token in a header, after a prefix. */
export function inHeader(name: string, prefix = ''): Authenticate {
  return (request, auth) => ({ ...request, headers: { ...request.headers, [name]: prefix + tokenOf(auth) } });
}

/** `Authorization: Bearer <secret text or access token>`. */
export const bearer: Authenticate = inHeader('authorization', 'Bearer ');

/** `Authorization: Basic <user name and password>`. */
export const basic: Authenticate = (request, auth) => {
  if (auth.type !== 'BASIC_AUTH') throw wrongType(auth);
  return { ...request, headers: { ...request.headers, authorization: `Basic ${basicToken(auth)}` } };
};

/** The secret text or the access token as a parameter of the query. */
export function inQuery(name: string): Authenticate {
  return (request, auth) => {
    const url = new URL(request.url);
    url.searchParams.set(name, tokenOf(auth));
    return { ...request, url };
  };
}

/** What Basic authentication sends. */
export function basicToken({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

/** The account of a call, of a type that the provider takes, its props checked. Throws CONNECTION_REQUIRED where there is none. */
export function accountOf({ displayName, auth: methods }: { displayName: string; auth: readonly AuthMethod[] }, auth: AuthValue | null) {
  if (!auth) throw new GatewayError('CONNECTION_REQUIRED', `${displayName} needs a connected account.`);
  const method = methods.find(({ type }) => family(type) === family(auth.type));
  if (!method) throw new ActionError(`${displayName} takes no account of the type ${auth.type}.`);
  if (auth.type !== 'CUSTOM_AUTH' || !method.props) return auth;
  const props = method.props.safeParse(auth.props);
  if (props.success) return { ...auth, props: props.data };
  const names = [...new Set(props.error.issues.map(({ path }) => String(path[0])))].join(', ');
  throw new ActionError(`The connected account of ${displayName} is not complete: ${names}. Connect it again.`, { reason: 'unauthorized' });
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
  return new TypeError(`this way to authenticate takes no ${auth.type}`);
}

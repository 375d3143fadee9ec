import { ActionError, type AuthValue } from '../definition.ts';
import { type Authenticate, basic, basicToken, bearer, inHeader, inQuery, methodOf } from '../provider-auth.ts';
import { withClientCredentials } from './client-credentials.ts';
import { secretProps, takesOneSecret } from './credentials.ts';
import type { AuthDocument, AuthenticateDocument, ProviderDocument } from './document.ts';
import { accountValues, fillAddress } from './fill-address.ts';
import { render } from './template.ts';

/** Authenticates requests as the account's method says, else as the document says. */
export function authenticateBy({ auth, authenticate }: Pick<ProviderDocument, 'auth' | 'authenticate'>): Authenticate {
  return (request, account, now, reach) => {
    const method = methodOf(auth ?? [], account);
    const how = method?.authenticate ?? authenticate;
    const taken = how && asTaken(how, account, method);
    return taken === undefined ? request : toAuthenticate(how!)(request, taken, now, reach);
  };
}

/** Undefined if the method has no secret: requests then carry no credentials. */
function asTaken(how: AuthenticateDocument, account: AuthValue, method: AuthDocument | undefined): AuthValue | undefined {
  if (account.type !== 'CUSTOM_AUTH' || !method) return account;
  const { props } = account;
  if (how === 'basic') return { type: 'BASIC_AUTH', username: textOf(props, 'username'), password: String(props.password ?? '') };
  if (!takesOneSecret(how)) return account;
  const [secret] = secretProps(method);
  return secret === undefined ? undefined : { type: 'SECRET_TEXT', secretText: textOf(props, secret) };
}

function textOf(props: Readonly<Record<string, unknown>>, name: string): string {
  const value = props[name];
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw new ActionError(`The connected account is not complete: ${name}. Connect it again.`, { reason: 'unauthorized' });
}

/** The base URL of requests, from the account's method, else from the document. */
export function baseUrlBy({ auth, baseUrl }: Pick<ProviderDocument, 'auth' | 'baseUrl'>): string | ((account: AuthValue) => string) {
  const isFixed = !baseUrl.includes('{') && !(auth ?? []).some((method) => method.baseUrl !== undefined);
  return isFixed ? baseUrl : (account) => fillAddress(methodOf(auth ?? [], account)?.baseUrl ?? baseUrl, accountValues(account));
}

function toAuthenticate(how: AuthenticateDocument): Authenticate {
  if (how === 'bearer') return bearer;
  if (how === 'basic') return basic;
  if ('header' in how) return inHeader(how.header.toLowerCase(), how.prefix);
  if ('query' in how) return inQuery(how.query);
  if ('clientCredentials' in how) return withClientCredentials(how.clientCredentials);
  return (request, auth) => {
    const url = new URL(request.url);
    for (const [name, value] of Object.entries(texts(how.parameters ?? {}, auth))) url.searchParams.set(name, value);
    const headers = Object.entries(texts(how.headers ?? {}, auth)).map(([name, value]) => [name.toLowerCase(), value]);
    const basic = 'basic' in how ? basicTokenOf(texts(how.basic, auth)) : undefined;
    const all = { ...Object.fromEntries(headers), ...(basic !== undefined && { authorization: `Basic ${basic}` }) };
    return { ...request, url, headers: withHeaders(request.headers, all), ...(basic !== undefined && { secrets: [basic] }) };
  };
}

function basicTokenOf({ username = '', password = '' }: Record<string, string>): string {
  return basicToken({ username, password });
}

function withHeaders(headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>): Record<string, string> {
  const { cookie } = headers;
  const cookies = cookie !== undefined && more.cookie !== undefined && { cookie: `${cookie}; ${more.cookie}` };
  return { ...headers, ...more, ...cookies };
}

function texts(template: Readonly<Record<string, string>>, auth: AuthValue): Record<string, string> {
  const filled = render(template, { account: accountValues(auth) }) as Record<string, unknown> | undefined;
  return Object.fromEntries(Object.entries(filled ?? {}).map(([name, value]) => [name, String(value)]));
}

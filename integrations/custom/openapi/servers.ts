import { GatewayError } from '../../../domain/errors.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { OpenapiDocument } from './dialect.ts';
import { LeftOutError } from './left-out.ts';

/** What completes the addresses of servers. */
export interface ServerSettings {
  isSwagger: boolean;
  /** The address of the document. */
  url: string | undefined;
  variables: Readonly<Record<string, string>>;
}

/** The address of a server, or the problem with it. */
export type ServerAddress = { url: string } | { problem: string };

/**
 * Returns the address of the first https server or, without one, of the first server. Undefined if
 * the document has no server.
 */
export function documentServer(document: OpenapiDocument, settings: ServerSettings): ServerAddress | undefined {
  return settings.isSwagger ? swaggerServer(document, document.schemes, settings) : firstServer(document.servers, settings);
}

/** Returns the address of the first https server or, without one, of the first server. */
export function firstServer(servers: unknown, settings: ServerSettings): ServerAddress | undefined {
  const list = Array.isArray(servers) ? servers.filter((server) => isObject(server) && typeof server.url === 'string') : [];
  const addresses = list.slice(0, 100).map((server) => addressOf(server as Server, settings));
  const isSecure = (address: ServerAddress) => 'url' in address && address.url.startsWith('https:');
  const [first] = addresses;
  return addresses.find((address, index) => isSecure(address) || /^https:/i.test(list[index].url)) ?? first;
}

interface Server {
  url: string;
  variables?: unknown;
}

function addressOf({ url, variables }: Server, settings: ServerSettings): ServerAddress {
  const all = isObject(variables) ? variables : {};
  let problem: string | undefined;
  const filled = url.slice(0, 2000).replace(/\{([^{}]*)\}/g, (_, name: string, at: number) => {
    const value = variableValue(name, all, settings.variables, isInPath(url, at) ? SEGMENT : LABEL);
    if (value === undefined)
      problem ??= `The variable ${name.slice(0, 100)} of the server has no allowed value. Send serverVariables or baseUrl.`;
    return value ?? '';
  });
  return problem === undefined ? absolute(filled, settings.url) : { problem };
}

function isInPath(url: string, at: number): boolean {
  const host = url.indexOf('://');
  return host < 0 || host > at ? host < 0 : url.slice(host + 3, at).includes('/');
}

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,200}$/;
/** Matches a scheme, a port or a label of a host name. */
const LABEL = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/;

function variableValue(
  name: string,
  variables: Record<string, unknown>,
  given: Readonly<Record<string, string>>,
  form: RegExp,
): string | undefined {
  const said = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const { enum: values, default: fallback } = isObject(said) ? said : {};
  const value = Object.hasOwn(given, name) ? given[name] : typeof fallback === 'number' ? String(fallback) : fallback;
  if (typeof value !== 'string' || !form.test(value)) return undefined;
  return Array.isArray(values) && values.length > 0 && !values.map(String).includes(value) ? undefined : value;
}

function swaggerServer({ host, basePath }: OpenapiDocument, schemes: unknown, { url }: ServerSettings): ServerAddress | undefined {
  const own = URL.parse(url ?? '');
  const name = typeof host === 'string' && host !== '' ? host : own?.host;
  if (name === undefined) return undefined;
  const list = Array.isArray(schemes) ? schemes : own ? [own.protocol.slice(0, -1)] : ['https'];
  const scheme = list.includes('https') ? 'https' : list.includes('http') ? 'http' : 'https';
  return absolute(`${scheme}://${name}${typeof basePath === 'string' ? basePath : ''}`, undefined);
}

/**
 * Returns the server of a Swagger operation that declares `schemes`. Undefined without `schemes`.
 */
export function swaggerOperationServer(document: OpenapiDocument, schemes: unknown, settings: ServerSettings): ServerAddress | undefined {
  return Array.isArray(schemes) ? swaggerServer(document, schemes, settings) : undefined;
}

function absolute(text: string, base: string | undefined): ServerAddress {
  const url = URL.parse(text, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    return { problem: `The server ${JSON.stringify(text.slice(0, 200))} is not an absolute address. Send baseUrl.` };
  return { url: url.origin + url.pathname.replace(/\/+$/, '') };
}

/** Throws SERVER_REQUIRED if there is no address. */
export function required(address: ServerAddress | undefined): string {
  if (address && 'url' in address) return address.url;
  throw new GatewayError('SERVER_REQUIRED', address?.problem ?? 'The document names no server. Send baseUrl.');
}

/**
 * Returns the base URL of an operation with its own server. Undefined if that is the base URL of
 * the integration. Throws LeftOutError.
 */
export function operationBase(address: ServerAddress, base: string, isAllowed: (url: string) => boolean): string | undefined {
  if ('problem' in address) throw new LeftOutError('invalid_operation', address.problem);
  if (!isAllowed(address.url)) throw new LeftOutError('address_not_allowed', `${new URL(address.url).host} may not be called.`);
  if (new URL(address.url).host !== new URL(base).host)
    throw new LeftOutError('foreign_server', `The operation has another host: ${new URL(address.url).host}.`);
  return address.url === base ? undefined : address.url;
}

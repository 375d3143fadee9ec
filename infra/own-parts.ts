import pg from 'pg';
import { type Config, SetupError } from './config.ts';
import { hostOf } from './outbound-target.ts';

/** A part of the service itself: a host, by name or address, and a port. */
export interface OwnPart {
  host: string;
  port: number;
}

/** The API and the hosted pages, as destinations of the service's outbound requests. */
export interface OwnApi {
  parts: readonly OwnPart[];
  /** Outbound requests to the API are allowed only below these paths. */
  downloadPrefixes: readonly string[];
}

/**
 * Returns the API as a destination: all its hosts with all its ports, because a reverse proxy may
 * serve one host at the port of another.
 */
export function ownApi({ host, port, baseUrl, platformUrl }: Pick<Config, 'host' | 'port' | 'baseUrl' | 'platformUrl'>): OwnApi {
  const urls = [baseUrl, platformUrl].map((text) => URL.parse(text)).filter((url) => url !== null);
  const known = urls.map((url) => partAt(url.href, usualPort(url))).filter((part) => part !== undefined);
  const hosts = new Set([THIS_MACHINE, host.toLowerCase(), ...known.map((part) => part.host)]);
  const ports = new Set([port, ...known.map((part) => part.port)]);
  return {
    parts: [...hosts].flatMap((ownHost) => [...ports].map((ownPort) => ({ host: ownHost, port: ownPort }))),
    downloadPrefixes: [...new Set(['', ...urls.map((url) => trimSlash(url.pathname))])].map((path) => `${path}/files/`),
  };
}

const THIS_MACHINE = '127.0.0.1';

function usualPort({ protocol }: URL): number {
  return protocol === 'https:' ? 443 : 80;
}

function trimSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

/**
 * Returns the parts that callers may never reach: Postgres, OUTBOUND_REFUSE, and Temporal and its
 * UI, which have no login. Throws a SetupError.
 */
export function ownParts({
  databaseUrl,
  temporal,
  outbound,
}: Pick<Config, 'databaseUrl'> & {
  temporal: Pick<Config['temporal'], 'address' | 'uiUrl'>;
  outbound: { refuse: readonly string[] };
}): OwnPart[] {
  const configured = [
    databaseUrl && postgresAt(databaseUrl),
    temporal.address && partAt(`tcp://${temporal.address}`, 7233),
    temporal.uiUrl && partAt(temporal.uiUrl, /^https:/i.test(temporal.uiUrl) ? 443 : 80),
  ];
  return [...configured.filter((part) => part !== undefined && part !== ''), ...outbound.refuse.map(refused)];
}

/** Reads the URL as the driver does. */
function postgresAt(databaseUrl: string): OwnPart {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return { host, port };
}

/** Undefined for a text without a host, such as a path. */
function partAt(address: string, portOfScheme: number): OwnPart | undefined {
  const url = URL.parse(address);
  const host = url && hostOf(url).toLowerCase();
  return host ? { host, port: Number(url.port) || portOfScheme } : undefined;
}

function refused(text: string): OwnPart {
  const part = partAt(`tcp://${text}`, 0);
  if (part?.port) return part;
  throw new SetupError(
    `OUTBOUND_REFUSE holds ${JSON.stringify(text)}, which is not a host and a port such as 10.0.0.7:8233. See docs/running.md.`,
  );
}

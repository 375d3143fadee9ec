import pg from 'pg';
import { type Config, SetupError } from './config.ts';

/** A part of the service itself: a host, by name or address, and a port. */
export interface OwnPart {
  host: string;
  port: number;
}

/**
 * The parts that no caller may reach through us, whatever else is allowed: Postgres, Temporal, its UI, and what OUTBOUND_REFUSE names. They trust
 * whoever gets there. The API is none of them: it trusts nobody, and the download links of stored files are meant for actions too. Throws a
 * SetupError for what OUTBOUND_REFUSE has that is no host and port.
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
    temporal.uiUrl && partAt(temporal.uiUrl, temporal.uiUrl.startsWith('https:') ? 443 : 80),
  ];
  return [...configured.filter((part) => part !== undefined && part !== ''), ...outbound.refuse.map(refused)];
}

/** Where the driver itself would connect to. */
function postgresAt(databaseUrl: string): OwnPart {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return { host, port };
}

/** Undefined for what is no address, such as that of a resolver: nobody can name it as a destination either. */
function partAt(address: string, usualPort: number): OwnPart | undefined {
  const url = URL.parse(address);
  const host = url?.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host ? { host, port: Number(url?.port) || usualPort } : undefined;
}

function refused(text: string): OwnPart {
  const part = partAt(`tcp://${text}`, 0);
  if (part?.port) return part;
  throw new SetupError(
    `OUTBOUND_REFUSE holds ${JSON.stringify(text)}, which is not a host and a port such as 10.0.0.7:8233. See docs/running.md.`,
  );
}

import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { AuthDocument } from '../../declarative/document.ts';
import { storable } from '../document-texts.ts';
import { accountsOf } from './accounts.ts';
import { connectRemote, disconnectRemote, type Remote } from './connect.ts';
import { type Fetch, guardedFetch } from './guarded-fetch.ts';
import { listTools, TooManyToolsError } from './list-tools.ts';
import type { PortOutbound } from './port-outbound.ts';
import type { ListedTool } from './tool-to-action.ts';

/** The description and the tools of a server. */
export interface ServerListing {
  /** The address that answered, after redirects. */
  url: string;
  revision: string;
  name: string | undefined;
  title: string | undefined;
  description: string | undefined;
  version: string | undefined;
  tools: ListedTool[];
  /**
   * Null: the server needs no account. Undefined: unknown, because the attempt without credentials
   * failed for another reason than status 401.
   */
  accounts: AuthDocument[] | null | undefined;
}

/** A reason of FETCH_FAILED, or `too_many`. */
export interface ServerFailure {
  reason: 'status' | 'timeout' | 'protocol' | 'too_many';
  message: string;
  status?: number;
}

export type ServerAnswer = { listing: ServerListing } | { failure: ServerFailure };

const TIMEOUT_MS = 20_000;

/**
 * Lists the tools of a server without credentials, and again with the credentials of the import if
 * there are any. Status 401 without credentials means that calls need an account. `end` closes the
 * connections.
 */
export async function readServer(
  { url, hasCredentials }: { url: string; hasCredentials: boolean },
  outbound: PortOutbound,
): Promise<{ answer: ServerAnswer; end: () => Promise<void> }> {
  const open: Remote[] = [];
  const end = async () => void (await Promise.all(open.map(disconnectRemote)));
  const anonymous = await list(url, outbound, false, open);
  const chosen = hasCredentials ? await list(url, outbound, true, open) : anonymous;
  if ('failure' in chosen) return { answer: { failure: chosen.failure }, end };
  const accounts = 'failure' in anonymous ? await accountsAfter(anonymous, chosen.listing.url, outbound) : null;
  return { answer: { listing: { ...chosen.listing, accounts } }, end };
}

type Attempt = { listing: Omit<ServerListing, 'accounts'> } | FailedAttempt;

interface FailedAttempt {
  failure: ServerFailure;
  /** Set if the status was 401. */
  challenge: Headers | undefined;
}

async function accountsAfter({ challenge }: FailedAttempt, url: string, outbound: PortOutbound): Promise<AuthDocument[] | undefined> {
  return challenge && accountsOf(url, challenge, fetchOver(outbound, false));
}

async function list(address: string, outbound: PortOutbound, isAuthorized: boolean, open: Remote[]): Promise<Attempt> {
  let url = address;
  let challenge: Headers | undefined;
  const watched: PortOutbound = {
    async stream(request) {
      const answer = await outbound.stream(request);
      if (answer.status === 401) challenge = new Headers(answer.headers);
      else if (request.method === 'POST' && answer.status < 300) ({ url } = answer);
      return answer;
    },
  };
  try {
    const remote = await connectRemote({ url: address, fetch: fetchOver(watched, isAuthorized), timeoutMs: TIMEOUT_MS });
    open.push(remote);
    const tools = await listTools(remote.client, { timeoutMs: TIMEOUT_MS });
    return { listing: { ...aboutServer(remote), url, tools } };
  } catch (error) {
    return { failure: failureOf(error), challenge };
  }
}

function fetchOver(outbound: PortOutbound, isAuthorized: boolean): Fetch {
  return guardedFetch({ stream: (request) => outbound.stream({ ...request, isAuthorized }) }, {});
}

function aboutServer({ client }: Remote): Omit<ServerListing, 'url' | 'tools' | 'accounts'> {
  const { name, title, version, description } = (client.getServerVersion() ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? (storable(value) as string) : undefined);
  return {
    revision: client.getNegotiatedProtocolVersion() ?? 'unknown',
    ...{ name: text(name), title: text(title), version: text(version), description: text(description) },
  };
}

function failureOf(error: unknown): ServerFailure {
  if (error instanceof TooManyToolsError) return { reason: 'too_many', message: 'The server lists more tools than can be read.' };
  if (error instanceof SdkHttpError && error.status !== undefined)
    return { reason: 'status', status: error.status, message: `The server answered ${error.status}.` };
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return { reason: 'timeout', message: `The server did not answer within ${TIMEOUT_MS / 1000} s.` };
  return { reason: 'protocol', message: 'The server does not answer like an MCP server over streamable HTTP.' };
}

import { GatewayError } from '../../domain/errors.ts';
import { DOCUMENT_MAX_BYTES } from '../../domain/limits.ts';
import type { Outbound, OutboundResponse } from '../../domain/outbound.ts';
import type { FetchAuth, ImportInput } from './importer.ts';

/** Import contract 2. */
export const FETCH_TIMEOUT_SECONDS = 20;
export const FETCH_REDIRECTS = 3;

/** Secrets are sent only to the origin of `url`. */
type Wanted = Pick<ImportInput, 'headers' | 'fetchAuth'> & { url: string };

/**
 * Fetches a document (import contract 2). Throws ADDRESS_NOT_ALLOWED, DOCUMENT_TOO_LARGE,
 * FETCH_FAILED with `details.reason`, or another error of the request, such as an abort.
 */
export async function fetchDocument(
  { url, headers, fetchAuth }: Wanted,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): Promise<OutboundResponse> {
  assertAddress(outbound, url);
  const request = { url, headers: { accept: 'application/json, application/yaml, */*;q=0.5', ...headersOf({ headers, fetchAuth }) } };
  const limits = { timeoutMs: FETCH_TIMEOUT_SECONDS * 1000, maxBytes: DOCUMENT_MAX_BYTES, redirects: FETCH_REDIRECTS };
  const response = await outbound.request({ ...request, ...limits, signal }).catch((error) => {
    throw fetchFailure(error);
  });
  if (response.status >= 200 && response.status < 300) return response;
  throw failed('status', `The address answered ${response.status}.`, { status: response.status });
}

/** Returns the headers of requests for a document or to an MCP server. */
export function headersOf({ headers = {}, fetchAuth }: Pick<ImportInput, 'headers' | 'fetchAuth'>): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...Object.fromEntries(given), ...(fetchAuth && { authorization: authorizationOf(fetchAuth) }) };
}

/** Throws ADDRESS_NOT_ALLOWED for an address that may not be called. */
export function assertAddress(outbound: Pick<Outbound, 'checkUrl'>, url: string): void {
  try {
    outbound.checkUrl(url);
  } catch (error) {
    if (error instanceof GatewayError) throw new GatewayError('ADDRESS_NOT_ALLOWED', error.message);
    throw error;
  }
}

/**
 * Converts the error of a failed request (import contract 2). Returns any other error unchanged.
 */
export function fetchFailure(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  const kind = String(error.details?.reason);
  if (kind === 'blocked') return new GatewayError('ADDRESS_NOT_ALLOWED', error.message);
  if (kind === 'too_large') return new GatewayError('DOCUMENT_TOO_LARGE', `The document is larger than ${DOCUMENT_MAX_BYTES} bytes.`);
  const reason = kind === 'unreachable' ? unreachable(error.cause) : REASONS[kind];
  return reason === undefined ? error : failed(reason, error.message);
}

const REASONS: Record<string, string> = {
  timeout: 'timeout',
  too_many_redirects: 'redirects',
  redirect_refused: 'redirects',
  bad_response: 'protocol',
  invalid: 'protocol',
};

function unreachable(cause: unknown): string {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns';
  return /CERT|^UNABLE_TO_|_CA_|^HOSTNAME_MISMATCH$|SSL|TLS/.test(code) ? 'tls' : 'connection';
}

function failed(reason: string, message: string, details: Record<string, unknown> = {}): GatewayError {
  return new GatewayError('FETCH_FAILED', `The document cannot be fetched. ${message}`, { reason, ...details });
}

function authorizationOf(auth: FetchAuth): string {
  if (auth.type === 'bearer') return `Bearer ${auth.token}`;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
}

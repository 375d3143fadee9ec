import { GatewayError } from '../domain/errors.ts';

/**
 * Why an outbound request failed. `blocked`: an address that may not be called. `invalid`: a
 * request that cannot be sent. `redirect_refused`: a redirect would send a body to another origin.
 */
export type OutboundErrorKind =
  | 'blocked'
  | 'invalid'
  | 'timeout'
  | 'aborted'
  | 'too_large'
  | 'too_many_redirects'
  | 'redirect_refused'
  | 'unreachable'
  | 'bad_response';

/**
 * A failed outbound request. The message has no path or query, because they may contain secrets.
 */
export class OutboundError extends GatewayError {
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, options?: ErrorOptions) {
    super('ACTION_FAILED', message, { reason: kind }, options);
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

/** The destination is a part of the service itself (contract decisions 7). */
export class OwnAddressError extends OutboundError {
  constructor(host: string, port: number) {
    const rule = "The service's own addresses are never called, except to download stored files by their links.";
    super('blocked', `Port ${port} of ${host} is a part of this service itself. ${rule}`);
    this.name = 'OwnAddressError';
  }
}

/** Converts a low-level error of a request. Returns an OutboundError unchanged. */
export function toOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const [kind, sentence] = CODES[code] ?? (CERTIFICATE.test(code) ? INVALID_CERTIFICATE : CORRUPT.test(code) ? UNDECODABLE : BROKEN);
  return new OutboundError(kind, sentence.replace('$host', host), { cause: error });
}

type Failure = [OutboundErrorKind, string];

const NO_CONNECTION: Failure = ['unreachable', '$host does not accept connections.'];
const SLOW: Failure = ['timeout', '$host did not accept the connection in time.'];
const BROKEN: Failure = ['unreachable', 'The connection to $host broke before it had answered.'];
const INVALID_CERTIFICATE: Failure = ['unreachable', '$host does not show a certificate that is valid for this name.'];
const UNDECODABLE: Failure = ['bad_response', 'The answer of $host is not compressed as its header says.'];
const NOT_HTTP: Failure = ['bad_response', 'The answer of $host is not HTTP.'];
const UNSENDABLE: Failure = ['invalid', 'The request to $host cannot be sent: its method, headers or body do not fit together.'];

const CODES: Record<string, Failure> = {
  ENOTFOUND: ['unreachable', '$host cannot be found: the name does not resolve.'],
  EAI_AGAIN: ['unreachable', '$host cannot be found at the moment: the name server does not answer.'],
  ECONNREFUSED: NO_CONNECTION,
  EHOSTUNREACH: NO_CONNECTION,
  ENETUNREACH: NO_CONNECTION,
  ETIMEDOUT: SLOW,
  UND_ERR_CONNECT_TIMEOUT: SLOW,
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'The headers that $host answered are too large.'],
  HTTP_PARSER: NOT_HTTP,
  UND_ERR_INVALID_ARG: UNSENDABLE,
  UND_ERR_NOT_SUPPORTED: UNSENDABLE,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: UNSENDABLE,
};
const CERTIFICATE = /CERT|^UNABLE_TO_|_CA_|^HOSTNAME_MISMATCH$/;
const CORRUPT = /^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ZSTD)/;

function codeOf(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return name === 'HTTPParserError' ? 'HTTP_PARSER' : String(code);
}

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import type { Logger } from '../infra/logger.ts';
import { errorBody } from './middleware/render-errors.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * An HTTP server whose every answer has an X-Request-Id and the envelope of decisions section 1, also those to what never becomes a
 * request: unknown methods, headers that are too large or malformed, requests that stop half way. Their connections are closed.
 */
export function openServer(listener: Listener, logger: Logger): Server {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const serve: Listener = (request, response) => {
    latest.set(request.socket, response);
    if (lacksHost(request)) refuse(response, logger);
    else listener(request, response);
  };
  const breakOff = (socket: Duplex, cause: NodeJS.ErrnoException) => {
    const response = latest.get(socket);
    const isMidway = response?.headersSent && !response.writableFinished;
    if (socket.writable && !isMidway) socket.end(toText(describe(cause, logger)), () => socket.destroy());
    else socket.destroy();
  };
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false }, serve);
  server.on('clientError', (error, socket) => breakOff(socket, error));
  server.on('connect', (_, socket) => breakOff(socket, new Unreadable('CONNECT is not possible here')));
  // Expectations that a server does not know may be left unmet (RFC 9110, section 10.1.1).
  server.on('checkExpectation', serve);
  return server;
}

const TIMEOUTS = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 };

/** What was sent is not a request that could be handled. */
class Unreadable extends Error {}

/** HTTP/1.1 wants one (RFC 9112, section 3.2); left to itself, the server of Node would answer without a body. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

function refuse(response: ServerResponse, logger: Logger): void {
  const { status, headers, body } = describe(new Unreadable('it has no Host header'), logger);
  response.writeHead(status, headers).end(body);
}

interface Refusal {
  status: number;
  headers: Record<string, string | number>;
  body: string;
}

function describe(cause: NodeJS.ErrnoException, logger: Logger): Refusal {
  const error = toGatewayError(cause);
  const requestId = randomUUID();
  logger.debug({ requestId, status: error.status, reason: cause.code ?? cause.message }, 'not a request');
  const body = JSON.stringify(errorBody(error));
  const headers = {
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  return { status: error.status, headers, body };
}

function toText({ status, headers, body }: Refusal): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

function toGatewayError(cause: NodeJS.ErrnoException): GatewayError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('HEADERS_TOO_LARGE', 'The headers of the request are too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new GatewayError('PAYLOAD_TOO_LARGE', 'The chunk extensions of the body are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('REQUEST_TIMEOUT', 'The request did not come to its end in time.');
    case 'HPE_INVALID_METHOD':
      return new GatewayError('BAD_REQUEST', 'The request names a method that HTTP does not have.');
    default:
      return new GatewayError('BAD_REQUEST', `This is not a valid HTTP request${cause instanceof Unreadable ? `: ${cause.message}` : ''}.`);
  }
}

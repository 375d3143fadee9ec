import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import type { Logger } from '../infra/logger.ts';
import { endIdleConnections } from './end-idle-connections.ts';
import { findRequestProblem } from './find-request-problem.ts';
import { errorBody } from './middleware/render-errors.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Timeouts of a connection, in milliseconds. */
export interface ServerTimes {
  /**
   * From the start of the connection, or from the first byte of a later request, to the end of the
   * headers.
   */
  headersMs: number;
  /**
   * From the first byte of a request to the end of its body, even if the response is sent earlier.
   */
  requestMs: number;
  /** From a response to the first byte of the next request on the connection. */
  idleMs: number;
}

/**
 * Headers must arrive within 10 s and bodies within 30 s. The values are lower, because Node
 * notices late requests with a delay. `idleMs` exceeds the minute for which proxies keep idle
 * connections.
 */
export const SERVER_TIMES: ServerTimes = { headersMs: 8_000, requestMs: 27_000, idleMs: 65_000 };

/** Interval of Node's check for late requests, in milliseconds. */
export const CHECK_MS = 500;

/**
 * Opens an HTTP server. Input that Node cannot read also gets an X-Request-Id and the error body of
 * contract decisions 1, unless a response has begun.
 */
export function openServer(listener: Listener, logger: Logger, times: ServerTimes = SERVER_TIMES): Server {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const serve: Listener = (request, response) => {
    latest.set(request.socket, response);
    noteRequest(response);
    const problem = findRequestProblem(request);
    if (problem) refuse(response, problem, logger);
    else listener(request, response);
  };
  const breakOff = (socket: Duplex, cause: NodeJS.ErrnoException) => {
    const response = latest.get(socket);
    // If a response has begun, nothing else is written: a request gets one response only.
    const isAnswered = response?.headersSent && !(response.writableFinished && response.req.complete);
    if (socket.writable && !isAnswered) socket.end(toText(describe(cause, logger)), () => socket.destroy());
    else socket.destroy();
  };
  const server = createServer(
    {
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      keepAliveTimeout: times.idleMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, times.headersMs),
      requireHostHeader: false,
    },
    serve,
  );
  const noteRequest = endIdleConnections(server, times.idleMs + times.headersMs);
  server.on('clientError', (error, socket) => breakOff(socket, error));
  server.on('connect', (_, socket) => breakOff(socket, new Unreadable('CONNECT is not possible here')));
  // A server may ignore expectations that it does not know (RFC 9110, section 10.1.1).
  server.on('checkExpectation', serve);
  return server;
}

class Unreadable extends Error {}

function refuse(response: ServerResponse, problem: string, logger: Logger): void {
  const { status, headers, body } = describe(new Unreadable(problem), logger);
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
  logger.debug({ requestId, status: error.status, reason: cause.code ?? cause.message }, 'malformed request refused');
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
      return new GatewayError('REQUEST_TIMEOUT', 'The request was not complete in time.');
    case 'HPE_INVALID_METHOD':
      return new GatewayError('BAD_REQUEST', 'The request has an unknown HTTP method.');
    default:
      return new GatewayError('BAD_REQUEST', `This is not a valid HTTP request${cause instanceof Unreadable ? `: ${cause.message}` : ''}.`);
  }
}

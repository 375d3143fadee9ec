import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TemporalApi } from '../infra/temporal-api.ts';
import { judgeUiRequest } from './judge-ui-request.ts';

/** A source of the files of the Temporal UI. */
export interface UiFiles {
  read(path: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** A running Temporal UI. */
export interface TemporalUi {
  port: number;
  close(): Promise<void>;
}

export interface TemporalUiOptions {
  listenHost: string;
  /** 0: any free port. */
  port: number;
  /** Its host is accepted in addition to localhost and 127.0.0.1. */
  publicUrl: string | undefined;
  files: UiFiles;
  api: TemporalApi;
}

/**
 * Serves the Temporal UI to an operator's browser, and refuses requests of other sites' pages (see
 * `judgeUiRequest`).
 */
export async function openTemporalUi({ listenHost, port, publicUrl, files, api }: TemporalUiOptions): Promise<TemporalUi> {
  const hosts = new Set<string>();
  const server = createServer((incoming, response) => {
    const refusal = judgeUiRequest(incoming, hosts);
    if (refusal !== undefined) return answer(response, 403, 'application/json', JSON.stringify({ message: refusal }));
    serve(incoming, response, { files, api }).catch((error) =>
      answer(
        response,
        502,
        'application/json',
        JSON.stringify({ message: `The Temporal UI is not available: ${(error as Error).message}` }),
      ),
    );
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.listen({ port, host: listenHost, exclusive: true });
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  for (const name of ['127.0.0.1', 'localhost']) hosts.add(`${name}:${listening}`);
  const known = URL.parse(publicUrl ?? '')?.host;
  if (known) hosts.add(known.toLowerCase());
  return {
    port: listening,
    close: async () => {
      server.close();
      server.closeAllConnections();
      api.close();
      await files.close();
    },
  };
}

type Sources = Pick<TemporalUiOptions, 'files' | 'api'>;

/** Paths of files. All other paths are pages, which share one document. */
const FILE = /^\/(?!namespaces\/|api\/)(?:[\w-][\w.-]*\/)*[\w.-]+$/;
const FILE_TYPE = /\.(\w+)$/;

const PATH_MAX_LENGTH = 1024;

/** Served as a file and not forwarded to Temporal. */
const SETTINGS = '/api/v1/settings';

async function serve(incoming: IncomingMessage, response: ServerResponse, { files, api }: Sources): Promise<void> {
  const url = new URL(incoming.url ?? '', 'http://ui');
  const { pathname } = url;
  if (pathname.startsWith('/api/') && pathname !== SETTINGS) return ask(incoming, response, url, api);
  if (pathname.length > PATH_MAX_LENGTH) return answer(response, 414, 'text/plain', 'The path is too long.');
  const type = pathname === SETTINGS ? 'application/json' : TYPES[fileType(pathname)];
  const body = await files.read(type ? pathname : '/');
  if (!body) return answer(response, 404, 'text/plain', 'There is no such file.');
  if (pathname.startsWith('/_app/immutable/')) response.setHeader('cache-control', 'private, max-age=31536000, immutable');
  answer(response, 200, type ?? 'text/html; charset=utf-8', body);
}

function fileType(pathname: string): string {
  return (FILE.test(pathname) && FILE_TYPE.exec(pathname)?.[1]?.toLowerCase()) || '';
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/vnd.microsoft.icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
};

/** A signal may carry 2 MB, encoded as base64. */
const BODY_MAX_BYTES = 8 * 1024 * 1024;

async function ask(incoming: IncomingMessage, response: ServerResponse, url: URL, api: TemporalApi): Promise<void> {
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) incoming.destroy();
  });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = { httpMethod: incoming.method ?? '', url, body: await text(incoming), signal: gone.signal };
  const { status, body } = await api.ask(asked);
  response.setHeader('cache-control', 'no-store');
  answer(response, status, 'application/json', JSON.stringify(body));
}

/**
 * Other sites must not frame the UI or read its answers. In a frame, one click could send a signal.
 */
const PROTECTION = {
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
};

function answer(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  if (response.headersSent) return void response.destroy();
  for (const [name, value] of Object.entries(PROTECTION)) response.setHeader(name, value);
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-cache');
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
}

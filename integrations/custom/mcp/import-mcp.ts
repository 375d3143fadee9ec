import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { GatewayError } from '../../../domain/errors.ts';
import { DOCUMENT_MAX_BYTES } from '../../../domain/limits.ts';
import type { OutboundStream } from '../../../domain/outbound.ts';
import { assertAddress, FETCH_REDIRECTS, FETCH_TIMEOUT_SECONDS, fetchFailure, headersOf } from '../fetch-document.ts';
import { PartsOfImport } from '../imported-parts.ts';
import type { ImportContext, Imported, ImportInput } from '../importer.ts';
import { type PortRequest, serveOutbound } from './port-outbound.ts';
import type { ServerFailure } from './read-server.ts';
import type { ReadAnswer, ReadMessage, ReadTask } from './read-server-thread.ts';

const MEMORY = { maxOldGenerationSizeMb: 450, maxYoungGenerationSizeMb: 50 };
const DEADLINE_SECONDS = 60;
/** Time for the worker thread to end its sessions after the import. */
const SESSION_END_SECONDS = 5;

/**
 * Imports an MCP server (import contract 4). A worker thread without credentials lists the tools;
 * the main thread sends its requests. Throws the errors of import contract 2.
 */
export async function importMcp(input: ImportInput, context: ImportContext): Promise<Imported> {
  assertAddress(context.outbound, input.url!);
  return context.withSlot('server', () => readServer(input, context));
}

async function readServer(input: ImportInput, { outbound, signal, names, knownAuth = null }: ImportContext): Promise<Imported> {
  const url = input.url!;
  const { port1, port2 } = new MessageChannel();
  let failure: unknown;
  const remember = (error: unknown) => {
    failure = error;
  };
  serveOutbound(port1, { send: sender(input, outbound), onFailure: remember });
  const worker = new Worker(new URL('./read-server-thread.ts', import.meta.url), { env: {}, execArgv: [], resourceLimits: MEMORY });
  worker.on('error', () => {});
  const { select, auth, baseUrl, displayName, description, categories, logoUrl, trustAnnotations } = input;
  const options = { select, auth, baseUrl, displayName, description, categories, logoUrl, trustAnnotations, names, knownAuth };
  const task: ReadTask = { url, hasCredentials: Object.keys(headersOf(input)).length > 0, options, port: port2 };
  const end = () => void worker.terminate().then(() => port1.close());
  const stop = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_SECONDS * 1000)]);
  try {
    const answered = receive(worker, stop);
    worker.postMessage(task, [port2]);
    const answer = await answered;
    worker.unref();
    setTimeout(end, SESSION_END_SECONDS * 1000).unref();
    return importedOf(answer, failure);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    end();
    if (stop.aborted) throw fetchFailed({ reason: 'timeout', message: `The import took longer than ${DEADLINE_SECONDS} s.` });
    if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new GatewayError('DOCUMENT_TOO_COMPLEX', 'The tools of the server need more memory than an import may use.');
  }
}

async function receive(worker: Worker, signal: AbortSignal): Promise<ReadAnswer> {
  const parts = new PartsOfImport();
  for (;;) {
    const [message] = (await once(worker, 'message', { signal })) as [ReadMessage];
    if (!('kind' in message)) return 'imported' in message ? { imported: parts.join(message.imported) } : message;
    parts.add(message);
    await nextTurn();
    worker.postMessage(null);
  }
}

/** Returns what sends the requests of the worker thread. All answers share one size limit. */
function sender(input: ImportInput, outbound: ImportContext['outbound']) {
  const secrets = headersOf(input);
  const { origin } = new URL(input.url!);
  let left = DOCUMENT_MAX_BYTES;
  return async ({ isAuthorized, headers, ...request }: PortRequest & { signal: AbortSignal }): Promise<OutboundStream> => {
    const isOwn = URL.parse(request.url)?.origin === origin;
    const answer = await outbound.stream({
      ...request,
      headers: { ...headers, ...(isAuthorized && isOwn && secrets) },
      ...{ timeoutMs: FETCH_TIMEOUT_SECONDS * 1000, maxBytes: DOCUMENT_MAX_BYTES, redirects: FETCH_REDIRECTS },
    });
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) throw new GatewayError('DOCUMENT_TOO_LARGE', `The server answers more than ${DOCUMENT_MAX_BYTES} bytes.`);
        controller.enqueue(chunk);
      },
    });
    return { ...answer, body: answer.body.pipeThrough(counted) };
  };
}

function importedOf(answer: ReadAnswer, failure: unknown): Imported {
  if ('imported' in answer) return answer.imported;
  if ('problem' in answer) throw new GatewayError(answer.problem.code, answer.problem.message, answer.problem.details);
  // The worker thread does not know why a request failed. The main thread has kept the error.
  if (answer.failure.reason === 'protocol' && failure !== undefined) throw fetchFailure(failure);
  throw fetchFailed(answer.failure);
}

function fetchFailed({ reason, message, status }: ServerFailure): GatewayError {
  if (reason === 'too_many') return new GatewayError('DOCUMENT_TOO_COMPLEX', message);
  const hint = status === 401 || status === 403 ? ' Send `fetchAuth` or `headers` with credentials for the list of tools.' : '';
  return new GatewayError('FETCH_FAILED', `The tools of the server cannot be listed. ${message}${hint}`, {
    reason,
    ...(status !== undefined && { status }),
  });
}

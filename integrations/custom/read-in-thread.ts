import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../domain/errors.ts';
import type { DocumentAnswer, DocumentTask } from './document-task.ts';
import type { ImportContext, Imported } from './importer.ts';

/** The limits of import contract 2: 500 MB and 30 s. */
const MEMORY = { maxOldGenerationSizeMb: 450, maxYoungGenerationSizeMb: 50 };
const DEADLINE_SECONDS = 30;

interface Reach extends Pick<ImportContext, 'signal' | 'whenPlaceIsFree'> {
  /** Returns those of the addresses that may not be called. */
  refused(urls: readonly string[]): Promise<readonly string[]>;
}

/**
 * Reads a document in its own thread, so that a hostile document cannot block the event loop. The
 * thread has limits on memory and time. Throws the errors of import contract 2, and RATE_LIMITED if
 * too many documents wait.
 */
export async function readInThread(task: DocumentTask, reach: Reach): Promise<Imported> {
  return reach.whenPlaceIsFree('document', () => readNow(task, reach));
}

async function readNow(task: DocumentTask, { signal, refused }: Reach): Promise<Imported> {
  const worker = new Worker(new URL('./document-thread.ts', import.meta.url), { env: {}, execArgv: [], resourceLimits: MEMORY });
  const deadline = AbortSignal.timeout(DEADLINE_SECONDS * 1000);
  const stop = AbortSignal.any([signal, deadline]);
  try {
    return await new Promise<Imported>((resolve, reject) => {
      const giveUp = () => reject(tooComplex(`takes longer than ${DEADLINE_SECONDS} s to be read`));
      stop.addEventListener('abort', giveUp, { once: true });
      worker.on('error', (error) => reject(isOutOfMemory(error) ? tooComplex('needs more than 500 MB') : error));
      worker.on('exit', () => reject(tooComplex('cannot be read')));
      worker.on('messageerror', reject);
      worker.on('message', (answer: DocumentAnswer) => {
        if (answer.kind === 'judge') refused(answer.urls).then((urls) => worker.postMessage(urls), reject);
        else if (answer.kind === 'imported') resolve(answer.imported);
        else reject(toError(answer));
      });
      worker.postMessage(task);
    });
  } finally {
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooComplex(why: string): GatewayError {
  return new GatewayError('DOCUMENT_TOO_COMPLEX', `The document ${why}.`);
}

/**
 * An unexpected error is reported to the caller as an error in the document. Its `cause` is the
 * error in the service.
 */
function toError(answer: Extract<DocumentAnswer, { kind: 'refused' | 'failed' }>): GatewayError {
  if (answer.kind === 'refused') return new GatewayError(answer.code, answer.message, answer.details);
  const issues = [{ path: '', message: 'is not a document that can be read' }];
  return new GatewayError('DOCUMENT_INVALID', 'The document cannot be read.', { issues }, { cause: new Error(answer.stack) });
}

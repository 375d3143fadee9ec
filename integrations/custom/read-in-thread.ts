import { GatewayError } from '../../domain/errors.ts';
import type { DocumentAnswer, DocumentTask } from './document-task.ts';
import { PartsOfImport } from './imported-parts.ts';
import type { ImportContext, Imported } from './importer.ts';
import { runInThread, type Thread } from './run-in-thread.ts';

const THREAD = new URL('./document-thread.ts', import.meta.url);

interface Reach extends Pick<ImportContext, 'signal' | 'withSlot'> {
  /** Returns those of `urls` that may not be called. */
  refused(urls: readonly string[]): Promise<readonly string[]>;
}

/**
 * Reads a document in a separate thread. Throws the errors of import contract 2, and RATE_LIMITED.
 */
export async function readInThread(task: DocumentTask, { signal, refused, withSlot }: Reach): Promise<Imported> {
  const parts = new PartsOfImport();
  const onMessage = (message: DocumentAnswer, thread: Thread<Imported>) => {
    switch (message.kind) {
      case 'part':
        parts.add(message);
        // Answers in the next turn, so that the event loop can run between two parts.
        setImmediate(() => thread.answer(null));
        break;
      case 'judge':
        refused(message.urls).then(thread.answer, thread.fail);
        break;
      case 'imported':
        thread.end(parts.join(message.imported));
        break;
      default:
        thread.fail(toError(message));
    }
  };
  return withSlot('document', () => runInThread({ file: THREAD, task, signal, onMessage }));
}

/** An unexpected error of the service is reported as an invalid document. */
function toError(answer: Extract<DocumentAnswer, { kind: 'refused' | 'failed' }>): GatewayError {
  if (answer.kind === 'refused') return new GatewayError(answer.code, answer.message, answer.details);
  const issues = [{ path: '', message: 'is not a document that can be read' }];
  return new GatewayError('DOCUMENT_INVALID', 'The document cannot be read.', { issues }, { cause: new Error(answer.stack) });
}

import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { GatewayError } from '../../domain/errors.ts';
import { tooComplex } from '../declarative/check-document.ts';
import { assertBounded, invalidDocument, parseDocumentText } from '../declarative/document-text.ts';
import { assertSize } from './document-size.ts';
import type { DocumentAnswer, DocumentTask } from './document-task.ts';
import { storable } from './document-texts.ts';
import { sendParts } from './imported-parts.ts';
import type { Imported } from './importer.ts';
import { readOpenapi } from './openapi/read-openapi.ts';
import { readDeclarative } from './read-declarative.ts';

parentPort!.once('message', async (task: DocumentTask) => {
  const said = await read(task).then((imported) => ({ kind: 'imported', imported }) as const, refusal);
  if (said.kind === 'imported') answer({ kind: 'imported', imported: await sendParts(said.imported, ask) });
  else answer(said);
});

function answer(message: DocumentAnswer): void {
  parentPort!.postMessage(message);
}

async function read(task: DocumentTask): Promise<Imported> {
  const { kind, input, names } = task;
  const given = task.document instanceof Uint8Array ? decode(task.document) : task.document;
  if (kind === 'declarative') return readDeclarative(given, input);
  const parsed = typeof given === 'string' ? parseDocumentText(given) : given;
  assertBounded(parsed);
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  assertSize(Buffer.byteLength(text));
  const documentHash = createHash('sha256').update(text).digest('hex');
  const imported = await readOpenapi(storable(parsed), input, { names: new Map(names), refused: askWhatIsRefused });
  return { ...imported, source: { ...imported.source, documentHash } };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidDocument([{ path: '', message: 'expects text in UTF-8' }], 1);
  }
}

/** Asks the main thread, because only it knows which addresses may be called. */
async function askWhatIsRefused(urls: readonly string[]): Promise<readonly string[]> {
  return (await ask({ kind: 'judge', urls })) as readonly string[];
}

function ask(question: DocumentAnswer): Promise<unknown> {
  return new Promise((resolve) => {
    parentPort!.once('message', resolve);
    answer(question);
  });
}

function refusal(error: unknown): DocumentAnswer {
  const known = error instanceof GatewayError ? error : error instanceof RangeError ? tooComplex() : undefined;
  if (known) return { kind: 'refused', code: known.code, message: known.message, details: known.details };
  return { kind: 'failed', stack: String((error as Error)?.stack ?? error) };
}

import { type MessagePort, parentPort } from 'node:worker_threads';
import { type ImportedPart, sendParts } from '../imported-parts.ts';
import { openPortOutbound } from './port-outbound.ts';
import { readServer, type ServerFailure } from './read-server.ts';
import { type ListingOptions, type ListingResult, toImported } from './to-imported.ts';

/** The thread sends its HTTP requests through `port`. */
export interface ReadTask {
  url: string;
  hasCredentials: boolean;
  options: ListingOptions;
  port: MessagePort;
}

export type ReadAnswer = { failure: ServerFailure } | ListingResult;
/** The main thread confirms each part. The last message is the answer. */
export type ReadMessage = ImportedPart | ReadAnswer;

parentPort?.once('message', async ({ url, hasCredentials, options, port }: ReadTask) => {
  const { answer, end } = await readServer({ url, hasCredentials }, openPortOutbound(port));
  const read = 'failure' in answer ? answer : toImported(answer.listing, options);
  post('imported' in read ? { imported: await sendParts(read.imported, sendPart) } : read);
  await end();
  port.close();
});

function sendPart(part: ImportedPart): Promise<unknown> {
  return new Promise((resolve) => {
    parentPort!.once('message', resolve);
    post(part);
  });
}

function post(message: ReadMessage): void {
  parentPort?.postMessage(message);
}

import { type MessagePort, parentPort } from 'node:worker_threads';
import { openPortOutbound } from './port-outbound.ts';
import { readServer, type ServerFailure } from './read-server.ts';
import { type ListingOptions, type ListingResult, toImported } from './to-imported.ts';

/** The input of the thread. Its HTTP requests go over the port. */
export interface ReadTask {
  url: string;
  hasCredentials: boolean;
  options: ListingOptions;
  port: MessagePort;
}

export type ReadAnswer = { failure: ServerFailure } | ListingResult;

parentPort?.once('message', async ({ url, hasCredentials, options, port }: ReadTask) => {
  const { answer, end } = await readServer({ url, hasCredentials }, openPortOutbound(port));
  const read: ReadAnswer = 'failure' in answer ? answer : toImported(answer.listing, options);
  parentPort?.postMessage(read);
  await end();
  port.close();
});

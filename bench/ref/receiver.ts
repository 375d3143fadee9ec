import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives webhooks: answers 200, but never answers requests to /dead. Prints its port. */
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (!request.url!.startsWith('/dead')) response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

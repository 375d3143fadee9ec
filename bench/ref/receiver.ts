import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives webhooks: reads each body and answers 200, but never answers /dead. Prints its port. */
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (!request.url!.startsWith('/dead')) response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reference for a list: answers every request with one constant JSON text. Prints its port. */
const { bytes } = JSON.parse(process.argv[2]!) as { bytes: number };
const text = JSON.stringify({ result: { tools: 'x'.repeat(bytes) } });
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.setHeader('content-type', 'application/json').end(text));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

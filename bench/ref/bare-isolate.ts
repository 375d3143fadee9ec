import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ivm from 'isolated-vm';

/**
 * The reference for Code Mode: plain isolated-vm. Answers the duration in ms and prints its port.
 * isolated-vm needs --no-node-snapshot.
 */
const { calls } = JSON.parse(process.argv[2]!) as { calls: number };

const server = createServer(async (_, response) => {
  const startedAt = performance.now();
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = await isolate.createContext();
  await context.global.set('call', new ivm.Reference(async (text: string) => text.toUpperCase()));
  const program = `(async () => {
    let text = 'x';
    for (let i = 0; i < ${calls}; i += 1) text = await call.apply(undefined, [text], { result: { promise: true, copy: true } });
    return text;
  })()`;
  await context.eval(program, { promise: true, copy: true });
  isolate.dispose();
  response.end(String(performance.now() - startedAt));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

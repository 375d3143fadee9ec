import { stripTypeScriptTypes } from 'node:module';
import { type MessagePort, workerData } from 'node:worker_threads';

const { port, signal } = workerData as { port: MessagePort; signal: Int32Array };

// The function announces itself as experimental on stderr; an operator can do nothing about that.
process.emitWarning = () => {};

port.on('message', (source: string) => {
  port.postMessage(strip(source));
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});

function strip(source: string): { text: string } | { broken: boolean } {
  try {
    return { text: stripTypeScriptTypes(source) };
  } catch (error) {
    return { broken: !(error instanceof SyntaxError) };
  }
}

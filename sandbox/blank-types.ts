import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/**
 * Blank the types of TypeScript code that is the body of an async function, each character by a space; null when it is not
 * such code. Blocks meanwhile: a millisecond, and a tenth of a second where the thread must be started.
 */
export function blankTypes(text: string): string | null {
  const [head, tail] = ['async()=>{', '\n}'];
  running ??= startStripper();
  const answer = ask(running, head + text + tail);
  if ('text' in answer) return answer.text.slice(head.length, -tail.length);
  if (answer.broken) stopStripper();
  return null;
}

// Deep nesting overflows Node's parser and leaves it broken for good, so it lives in a thread that can be replaced.
interface Stripper {
  worker: Worker;
  port: MessagePort;
  signal: Int32Array;
  warm: boolean;
}

type Answer = { text: string } | { broken: boolean };

// A busy machine may take long to start a thread; giving up early would start one after the other.
const DEADLINE_MILLISECONDS = { cold: 15_000, warm: 2000 };
let running: Stripper | undefined;

function startStripper(): Stripper {
  const { port1: port, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const file = new URL('./blank-types-worker.ts', import.meta.url);
  const worker = new Worker(file, { workerData: { port: port2, signal }, transferList: [port2], env: {}, execArgv: [] });
  worker.on('error', stopStripper);
  worker.unref();
  port.unref();
  return { worker, port, signal, warm: false };
}

function stopStripper(): void {
  running?.port.close();
  void running?.worker.terminate();
  running = undefined;
}

function ask(stripper: Stripper, source: string): Answer {
  const { port, signal, warm } = stripper;
  Atomics.store(signal, 0, 0);
  port.postMessage(source);
  Atomics.wait(signal, 0, 0, warm ? DEADLINE_MILLISECONDS.warm : DEADLINE_MILLISECONDS.cold);
  stripper.warm = true;
  return (receiveMessageOnPort(port)?.message as Answer | undefined) ?? { broken: true };
}

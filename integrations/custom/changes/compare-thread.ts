import { parentPort } from 'node:worker_threads';
import { type Comparison, compare } from './comparison.ts';

/** Answers one comparison in its own thread. */
parentPort!.once('message', (task: Comparison) => parentPort!.postMessage(compare(task)));

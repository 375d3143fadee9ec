import { parentPort } from 'node:worker_threads';
import { type Comparison, compare } from './comparison.ts';

/** The program of a thread that answers one comparison. */
parentPort!.once('message', (task: Comparison) => parentPort!.postMessage(compare(task)));

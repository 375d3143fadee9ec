import { parentPort } from 'node:worker_threads';
import { type Comparison, compare } from './comparison.ts';

parentPort!.once('message', (task: Comparison) => parentPort!.postMessage(compare(task)));

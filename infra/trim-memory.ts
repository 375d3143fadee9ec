import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3000;

/** Gives back, once, what starting needed and running does not: a process at rest would otherwise keep it until much later. */
export function trimMemoryAfterStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')({ type: 'major', flavor: 'last-resort' });
  }, AFTER_MS).unref();
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3000;

/** Forces one garbage collection after start-up. */
export function trimMemoryAfterStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')({ type: 'major', flavor: 'last-resort' });
  }, AFTER_MS).unref();
}

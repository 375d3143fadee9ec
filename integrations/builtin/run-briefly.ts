import { createContext, Script } from 'node:vm';
import { ActionError } from '../definition.ts';

const box: { work?: () => unknown } = {};
const context = createContext(box);
const script = new Script('work()');

/**
 * Runs a synchronous computation whose cost depends on the caller's input, and stops it after this
 * many milliseconds, even inside regular expressions. Only time is limited: the computation is
 * trusted code.
 */
export function runBriefly<Result>(limitMs: number, work: () => Result): Result {
  box.work = work;
  try {
    return script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new StoppedError(limitMs, error);
  } finally {
    delete box.work;
  }
}

/** Thrown when the time limit is exceeded. */
export class StoppedError extends ActionError {
  constructor(limitMs: number, cause: unknown) {
    super(`The calculation took longer than ${limitMs} ms and was stopped. Simplify it, or give it less data.`, undefined, { cause });
  }
}

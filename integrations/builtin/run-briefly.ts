import { createContext, Script } from 'node:vm';
import { ActionError } from '../definition.ts';

const box: { work?: () => unknown } = {};
const context = createContext(box);
const script = new Script('work()');

/**
 * Runs a synchronous computation whose cost the caller's input decides, and stops it after so many milliseconds, regular expressions included.
 * This bounds time only: the computation is our code, in our realm.
 */
export function runBriefly<Result>(limitMs: number, work: () => Result): Result {
  box.work = work;
  try {
    return script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ActionError(`The calculation took longer than ${limitMs} ms and was stopped. Simplify it, or give it less data.`, undefined, {
      cause: error,
    });
  } finally {
    delete box.work;
  }
}

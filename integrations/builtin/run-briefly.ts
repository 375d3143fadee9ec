import { createContext, Script } from 'node:vm';
import { ActionError } from '../definition.ts';

const box: { work?: () => unknown } = {};
const context = createContext(box);
const script = new Script('work()');

/** A machine can be so busy that this process gets little processor time. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a synchronous computation, and throws StoppedError after `limitMs`, even inside a regular
 * expression. The computation may run again, so it must have no effects. It must be trusted code:
 * only the time is limited.
 */
export function runBriefly<Result>(limitMs: number, work: () => Result): Result {
  box.work = work;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const before = process.threadCpuUsage();
      try {
        return script.runInContext(context, { timeout: limitMs });
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        const { user, system } = process.threadCpuUsage(before);
        if (attempt === MAX_ATTEMPTS || (user + system) / 1000 >= limitMs / 2) throw new StoppedError(limitMs, error);
      }
    }
  } finally {
    delete box.work;
  }
}

/** The time limit was exceeded. */
export class StoppedError extends ActionError {
  constructor(limitMs: number, cause: unknown) {
    super(`The calculation took longer than ${limitMs} ms and was stopped. Simplify it, or give it less data.`, undefined, { cause });
  }
}

import { endLease, renewLease } from '../store/code-run-moves.ts';
import type { Gateway } from './gateway.ts';

const RENEW_MS = 2000;

/**
 * Keeps the lease of a pass for as long as this process lives and the work of the pass is under way. Gives it up where that breaks off, but not at the stop of the process
 * (`signal`): a call may still be under way then, whose outcome is to be written down first.
 */
export async function underLease<Made>(
  { db, logger }: Gateway,
  { codeRunId, begun, signal }: { codeRunId: string; begun: Promise<number>; signal: AbortSignal },
  work: () => Promise<Made>,
): Promise<Made> {
  const unlessAway = (write: typeof renewLease) =>
    begun
      .then((passNumber) => write(db, { codeRunId, passNumber }))
      .catch((error) => logger.debug({ codeRunId, error: String(error) }, 'the lease of a pass runs out by itself'));
  const renewal = setInterval(() => void unlessAway(renewLease), RENEW_MS);
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) await unlessAway(endLease);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

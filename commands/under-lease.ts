import { endLease, renewLease } from '../store/code-run-moves.ts';
import type { Gateway } from './gateway.ts';

const RENEW_MS = 2000;

/** Keeps the lease of a pass for as long as this process lives and the work of the pass is under way; gives it up where that breaks off. */
export async function underLease<Made>(
  { db, logger }: Gateway,
  { codeRunId, begun }: { codeRunId: string; begun: Promise<number> },
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
    await unlessAway(endLease);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

import { endLease, renewLease } from '../../../store/code-run-transitions.ts';
import type { Gateway } from '../../gateway.ts';

const RENEW_MS = 2000;

/**
 * Renews the lease of a pass during its work, and ends the lease if the work fails. Keeps the lease
 * if `signal` aborts, because calls under way are still recorded.
 */
export async function withLease<Result>(
  { db, logger }: Gateway,
  { codeRunId, begun, signal }: { codeRunId: string; begun: Promise<number>; signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  const write = (update: typeof renewLease) =>
    begun
      .then((passNumber) => update(db, { codeRunId, passNumber }))
      .catch((error) => logger.debug({ codeRunId, error: String(error) }, 'pass lease not updated'));
  const renewal = setInterval(() => void write(renewLease), RENEW_MS);
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) await write(endLease);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

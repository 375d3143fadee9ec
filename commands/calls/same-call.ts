import type { RecordedCall } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';

/**
 * Checks that the call recorded under an idempotency key is this call (contract decisions 2,
 * Idempotency). Throws IDEMPOTENCY_CONFLICT.
 */
export function assertSameCall(recorded: RecordedCall, inputHash: string, requestHash: string | undefined): void {
  const isAsSent = requestHash !== undefined && recorded.requestHash === requestHash;
  if (!isAsSent && recorded.inputHash !== inputHash) throw keyConflict();
}

/** The error for an idempotency key that another call used. */
export function keyConflict(): GatewayError {
  return new GatewayError(
    'IDEMPOTENCY_CONFLICT',
    'This idempotency key belongs to another call, which was made in the last 24 hours or whose approval is still open.',
  );
}

import { isGrpcServiceError } from '@temporalio/client';
import { GatewayError } from '../domain/errors.ts';
import { CircuitOpenError } from './circuit-breaker.ts';
import type { Logger } from './logger.ts';

/** gRPC: DEADLINE_EXCEEDED. */
const LATE = 4;

/**
 * Rethrows the error of a long call. A time-out becomes UNAVAILABLE. It does not open the circuit,
 * because it only means that no worker answered.
 */
export function notInTime(error: unknown): never {
  if (grpcErrorOf(error)?.code === LATE) throw new GatewayError('UNAVAILABLE', AWAY_MESSAGE, undefined, { cause: error });
  throw error;
}

/** gRPC: DEADLINE_EXCEEDED, UNAVAILABLE. */
const SILENT = [LATE, 14];

/**
 * gRPC: CANCELLED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION (the last workflow task failed and is
 * retried), ABORTED.
 */
const NOT_NOW = [1, 8, 9, 10];

const AWAY_MESSAGE = 'Temporal is not reachable right now.';

/** Whether an error means that Temporal does not answer at all. */
export function isOutage(error: unknown): boolean {
  const grpc = grpcErrorOf(error);
  return grpc ? SILENT.includes(grpc.code) || isBrokenOff(grpc) : isConnectTimeout(error);
}

/**
 * Returns UNAVAILABLE for an outage or a refused call, otherwise `error`. Logs a refused call; an
 * outage is logged when the circuit opens.
 */
export function toGatewayError(error: unknown, logger: Logger): unknown {
  const isRefused = NOT_NOW.includes(grpcErrorOf(error)?.code ?? 0);
  if (isRefused) logger.warn({ error: String(error), cause: causeOf(error) }, 'temporal refused a call, callers get UNAVAILABLE');
  if (!isRefused && !(error instanceof CircuitOpenError) && !isOutage(error)) return error;
  return new GatewayError('UNAVAILABLE', AWAY_MESSAGE, undefined, { cause: error });
}

function grpcErrorOf(error: unknown) {
  return [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError);
}

export function causeOf(error: unknown): string {
  return String((error as Error | undefined)?.cause ?? '');
}

/** Whether the connection broke during the answer, which gRPC reports as INTERNAL. */
function isBrokenOff({ code, message }: { code: number; message: string }): boolean {
  return code === 13 && /RST_STREAM|ended without gRPC status/i.test(message);
}

/** Whether a channel did not connect in time. Such an error has no code. */
function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && /failed to connect before the deadline/i.test(error.message);
}

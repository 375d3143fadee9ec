import { GatewayError } from '../../domain/errors.ts';
import type { ImportContext } from '../../integrations/custom/importer.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Returns a function that runs an organization's work when a slot for its kind is free. Slots are
 * shared fairly between organizations. The function throws RATE_LIMITED if work could not begin.
 */
export function slotsFor({ schedulers }: Pick<Gateway, 'schedulers'>, tenantId: string, signal: AbortSignal): ImportContext['withSlot'] {
  return async (kind, work) => {
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      return work();
    };
    try {
      return await schedulers.imports[kind].run({ tenantId, signal }, begin);
    } catch (error) {
      throw hasBegun ? error : tooManyImports();
    }
  };
}

/**
 * Limits the running and waiting work of each organization in this process. The returned function
 * throws RATE_LIMITED beyond `max`.
 */
export function limitPerTenant(max: number): <Result>(tenantId: string, work: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, number>();
  return async (tenantId, work) => {
    const count = underWay.get(tenantId) ?? 0;
    if (count >= max) throw tooManyImports();
    underWay.set(tenantId, count + 1);
    try {
      return await work();
    } finally {
      const left = underWay.get(tenantId)! - 1;
      if (left > 0) underWay.set(tenantId, left);
      else underWay.delete(tenantId);
    }
  };
}

function tooManyImports(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Too many imports are under way at the moment. Try again in a minute.');
}

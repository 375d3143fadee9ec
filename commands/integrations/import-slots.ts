import { GatewayError } from '../../domain/errors.ts';
import type { ImportContext } from '../../integrations/custom/importer.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Returns a function that runs work of an organization as soon as a slot for work of this kind is
 * free. Organizations share the slots fairly. The function throws RATE_LIMITED if the work could
 * not begin, for example because `signal` was aborted first.
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
 * Returns a function that limits the running and waiting work of each organization in this process.
 * The function throws RATE_LIMITED if `max` tasks of the organization already run or wait.
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

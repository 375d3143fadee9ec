import { POLICY } from '../../domain/limits.ts';
import type { Policy } from '../../domain/policies/policy.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { readShadowRecord, type ShadowRecord } from '../../store/call-facts.ts';
import type { Gateway } from '../gateway.ts';

/**
 * What a policy in shadow mode would have done with the calls of the last `days` days that the key
 * may see.
 */
export async function getShadowRecord(
  { db }: Gateway,
  { orgId, workspaceIds }: KeyPrincipal,
  policy: Policy,
  days: number,
): Promise<ShadowRecord> {
  const to = new Date();
  const from = new Date(to.getTime() - days * 24 * 60 * 60 * 1000);
  return readShadowRecord(db, { orgId, workspaceIds, from, to }, policy.id, POLICY.backtest.maxExamples);
}

import type { Gateway } from '../gateway.ts';
import { findUnrecorded } from './find-unrecorded.ts';
import { sealActivity } from './seal-activity.ts';
import { type ChainProblem, verifyActivity } from './verify-activity.ts';

/** What a check of an organization's activity log found. */
export interface VerifiedTrail {
  /** Rows of the chain. */
  rows: number;
  /** The first problems; empty for an unbroken trail. */
  problems: ChainProblem[];
  /** Their number. */
  total: number;
}

/** Problems that are named: a rewritten chain has one in each row. */
const NAMED = 20;

/**
 * Gives new rows their place in the chain, then checks the chain and that every record has its row
 * (docs/audit.md). One check of an organization at a time; memory does not grow with the log.
 * Throws the reason of `signal` when it aborts.
 */
export async function verifyTrail({ db, schedulers }: Gateway, orgId: string, signal: AbortSignal): Promise<VerifiedTrail> {
  return schedulers.verifications.run({ tenantId: orgId, signal }, async () => {
    const problems: ChainProblem[] = [];
    let total = 0;
    const report = (problem: ChainProblem) => {
      total += 1;
      if (problems.length < NAMED) problems.push(problem);
    };
    const unsealed: unknown = await sealActivity(db, orgId).then(
      () => undefined,
      (error) => error,
    );
    const head = await verifyActivity(db, orgId, report, undefined, signal);
    for (const problem of (await findUnrecorded(db, orgId)).get(orgId) ?? []) report(problem);
    // Problems of the chain come first, because they explain why it cannot be extended.
    if (total === 0 && unsealed !== undefined) throw unsealed;
    return { rows: head.position, problems, total };
  });
}

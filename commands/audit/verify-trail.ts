import type { Gateway } from '../gateway.ts';
import { findUnrecorded } from './find-unrecorded.ts';
import { sealActivity } from './seal-activity.ts';
import { type ChainProblem, verifyActivity } from './verify-activity.ts';

/** The result of a check of an organization's activity log. */
export interface VerifiedTrail {
  rows: number;
  /** The first problems, at most `NAMED`. */
  problems: ChainProblem[];
  /** The number of problems. Missing rows beyond the first 100 count as one problem. */
  total: number;
}

/** A rewritten chain can have a problem in each row. */
const NAMED = 20;

/**
 * Extends and checks the chain of the organization (docs/audit.md). In one process, only one check
 * of an organization runs at a time.
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
    // Problems of the chain come first, because they explain why the chain cannot be extended.
    if (total === 0 && unsealed !== undefined) throw unsealed;
    return { rows: head.position, problems, total };
  });
}

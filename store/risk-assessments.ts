import type { Risk } from '../domain/policies/risk.ts';
import { type Db, runPrepared } from '../infra/database.ts';

/** The key of an assessment: one call under one version of one policy. */
export interface AssessedCall {
  orgId: string;
  policyId: string;
  policyVersion: number;
  inputHash: string;
}

const FIND = {
  name: 'find-risk-assessment',
  text: `select score, words from risk_assessments
         where org_id = $1 and policy_id = $2 and policy_version = $3 and input_hash = $4`,
};

export async function findRiskAssessment(db: Db, call: AssessedCall): Promise<Risk | undefined> {
  const [row] = await runPrepared<Risk>(db, FIND, [call.orgId, call.policyId, call.policyVersion, call.inputHash]);
  return row;
}

/** Retention of assessments: longer than an approval and its receipt are valid. */
const KEPT_DAYS = 61;

/**
 * Maximum number of old rows that each insertion deletes. An insertion adds fewer rows, so old rows
 * do not accumulate.
 */
const CLEARED_AT_ONCE = 5;

const INSERT = {
  name: 'insert-risk-assessment',
  text: `with old as (
           select ctid from risk_assessments where created_at < now() - interval '${KEPT_DAYS} days'
           order by created_at limit ${CLEARED_AT_ONCE} for update skip locked
         ), cleared as (
           delete from risk_assessments where ctid in (select ctid from old)
         )
         insert into risk_assessments (org_id, policy_id, policy_version, input_hash, score, words) values ($1, $2, $3, $4, $5, $6)
         on conflict (org_id, policy_id, policy_version, input_hash) do update set score = risk_assessments.score
         returning score, words`,
};

/** Inserts an assessment, and returns the first of concurrent assessments. */
export async function keepRiskAssessment(db: Db, call: AssessedCall, { score, words }: Risk): Promise<Risk> {
  const [row] = await runPrepared<Risk>(db, INSERT, [call.orgId, call.policyId, call.policyVersion, call.inputHash, score, words]);
  return row!;
}

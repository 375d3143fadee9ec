import { z } from 'zod';
import { POLICY } from '../../../domain/limits.ts';
import { POLICY_DECISIONS } from '../../../domain/policies/policy.ts';
import { UNJUDGED } from '../../../domain/policies/replay-call.ts';
import { queryInteger, timestamp, uuid } from '../../schemas.ts';
import { approvalId } from '../approvals/schema.ts';
import { policyChanges, testedPolicy } from './schema.ts';

const DAYS = POLICY.backtest.days;

export const backtest = z
  .strictObject({
    policy: testedPolicy.optional().describe('a body as for creating a policy, or a policy as GET returns it'),
    policyId: uuid.optional().describe('the policy that the tested policy replaces; absent: the tested policy is added to all others'),
    changes: policyChanges.optional().describe('instead of `policy`: changes to the policy that `policyId` names'),
    workspaceId: uuid.optional().describe('only calls of this workspace'),
    days: z.int().min(DAYS.min).max(DAYS.max).default(DAYS.default),
  })
  .refine(({ policy, changes }) => (policy === undefined) !== (changes === undefined), 'provide either policy or changes')
  .refine(({ policyId, changes }) => policyId !== undefined || changes === undefined, 'changes need policyId');

export const shadowDays = z.strictObject({ days: queryInteger(DAYS.min, DAYS.max, DAYS.default) });

const decided = z.enum([...POLICY_DECISIONS, 'allow']).describe('allow: no policy decides');
const count = z.int();

const example = z.object({
  callId: uuid.nullable().describe('null for a call that was held and has not run'),
  approvalId: approvalId.nullable(),
  at: timestamp,
  integrationName: z.string(),
  actionName: z.string(),
  was: decided,
});

export const backtestAnswer = z.object({
  from: timestamp,
  to: timestamp,
  isCut: z.boolean().describe(`true: there were more calls, and only the newest ${POLICY.backtest.maxCalls} were examined`),
  total: count.describe('calls that were examined'),
  matched: count.describe('calls that the tested policy matches, even if another policy decides'),
  unjudged: count.describe('calls that cannot be judged'),
  unjudgedReasons: z
    .array(z.object({ reason: z.enum(UNJUDGED), calls: count }))
    .describe(
      'no_facts: made before facts were kept, or refused before any policy; too_large: a value that a rule needs is too large; hidden: such a value is hidden from reviewers; not_kept: such a value was not kept; risk_model: only the risk model could decide; policies_unknown: the policies of that time are unknown',
    ),
  byDecision: z
    .object(Object.fromEntries([...POLICY_DECISIONS, 'allow'].map((decision) => [decision, count])))
    .describe('judged calls, by the decision that the tested policy would have led to'),
  decisions: z.array(z.object({ was: decided, would: decided, calls: count })).describe('judged calls, by actual and tested decision'),
  examples: z.array(example.extend({ would: decided })).describe('calls whose decision would change come first'),
});

const would = z
  .enum([...POLICY_DECISIONS, 'none', 'unknown'])
  .describe('none: another policy decides first; unknown: only the risk model could decide');

export const shadowAnswer = z.object({
  matched: count.describe('calls that the policy matched in shadow mode'),
  byDecision: z.array(z.object({ would, calls: count })),
  examples: z.array(example.extend({ would })),
});

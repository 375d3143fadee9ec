import { z } from 'zod';
import { SHOWN } from '../../../commands/reviews/preview-value.ts';
import { APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { CODE_RUN_STATUSES } from '../../../domain/code-run.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';
import { endUserId, jsonObject, moment, page, text, timestamp, uuid } from '../../schemas.ts';
import { approvalId } from '../approvals/schema.ts';

export const codeRunId = z
  .string()
  .regex(/^crun_[0-9A-Za-z]{22}$/)
  .meta({ examples: ['crun_7Qw2LpT8vB1nC6dR4kX9mZ'] });

export const codeRunsQuery = z.strictObject({
  workspaceId: uuid.optional(),
  mcpServerId: uuid.optional(),
  status: z.enum(CODE_RUN_STATUSES).optional(),
  endUserId: endUserId.optional(),
  createdFrom: moment({ offset: true }).optional().describe('runs that started at this time or later'),
  createdBefore: moment({ offset: true }).optional(),
  limit: page.shape.limit,
  cursor: z.string().max(500).optional().describe('nextCursor of the previous page'),
});

export const cancelBody = z.strictObject({ reason: text.max(DECISION_REASON_MAX_LENGTH).optional() }).optional();

const status = z
  .enum(CODE_RUN_STATUSES)
  .describe(
    'executed, failed, rejected, expired and canceled runs have ended; a waiting run waits for a decision, or for its caller to continue it',
  );

export const listedCodeRun = z
  .object({
    id: codeRunId,
    orgId: uuid,
    workspaceId: uuid,
    mcpServerId: uuid,
    endUserId: z.string().nullable(),
    requestedByType: z.string(),
    requestedById: z.string().nullable(),
    status,
    codeHash: z.string().describe('SHA-256 of the submitted code'),
    passNumber: z
      .int()
      .describe('number of passes, plus 1 if the run was canceled. After each pause a new pass runs the code from its start'),
    runningMs: z.int().describe('running time in milliseconds, without waiting for decisions'),
    createdAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'ListedCodeRun' });

const shown = z
  .enum(SHOWN)
  .describe(
    '`none`: no value; `deleted`: the retention period is over; `too_large`: the value is too large to show; `withheld`: the caller may not see the value',
  );

const error = z.object({ code: z.string(), message: z.string() });
const position = { line: z.int().nullable(), column: z.int().nullable() };

const callOfRun = z
  .object({
    number: z.int().describe('number of the call in the run, from 1; timers of the code are numbered too'),
    alias: z.string().nullable(),
    integrationName: z.string(),
    actionName: z.string(),
    status: z
      .enum(['executing', 'succeeded', 'failed', 'unknown', 'gated', 'blocked'])
      .describe(
        '`gated`: held until a decision. `unknown`: the process of the call stopped, so it is unknown whether the call took effect; the call is not repeated',
      ),
    ...position,
    idempotent: z.boolean().nullable().describe('whether the call may be repeated if its outcome is unknown; null if not recorded'),
    startedMs: z.int().nullable().describe('running time of the run at the start of the call, in milliseconds'),
    durationMs: z.int().nullable(),
    input: jsonObject.nullable().describe('preview; null if none is stored'),
    output: z.unknown().describe('preview'),
    outputIs: shown,
    error: error.nullable(),
    approvalId: approvalId.nullable().describe('the approval that the call waits for or used'),
  })
  .meta({ id: 'CodeRunCall' });

const approvalOfRun = z
  .object({
    id: approvalId,
    status: z.enum(APPROVAL_STATUSES),
    callNumber: z.int().nullable().describe('`number` of the approved call; null for an approval of the plan'),
    policyId: uuid.nullable(),
    policyName: z.string().nullable(),
    decidedByType: z.string().nullable(),
    decidedById: z.string().nullable(),
    decisionReason: z.string().nullable(),
    decidedAt: timestamp.nullable(),
    expiresAt: timestamp,
    approvalUrl: z
      .string()
      .nullable()
      .describe(
        'link to the page of the approval, with a bearer token; null for keys that may not decide. For the access mode dashboard_only: its page in the dashboard',
      ),
    codeRunUrl: z
      .string()
      .nullable()
      .describe(
        'link to the page of this run, with the token of `approvalUrl`; null without this token. After the approval is settled, the page shows only the outcome',
      ),
  })
  .meta({ id: 'CodeRunApproval' });

const plan = z
  .object({
    intentSummary: z.string().nullable(),
    impactSummary: z.string().nullable(),
    predictedTools: z.array(
      z.object({
        tool: z.string(),
        line: z.int().nullable(),
        column: z.int().optional(),
        repeats: z.boolean(),
        approvalPolicyId: uuid.optional().describe('the policy that requires approval of this call'),
        input: z.unknown().optional(),
        inputLength: z.int().optional().describe('length of the input in characters, if it is only partly shown'),
        inputShownLength: z.int().optional().describe('number of characters of the input that are shown'),
      }),
    ),
    approvalRequiredTools: z.array(z.string()),
    approvalGroups: z.array(
      z.object({ approvalPolicyId: uuid, approvalPolicyName: z.string().nullable(), approvalId, tools: z.array(z.string()) }),
    ),
    externalDomains: z.array(z.string()),
    storageIndicators: z.array(z.string()),
    analysisConfidence: z.string().describe('exact, partial or dynamic'),
    dynamicSignals: z.array(z.string()),
    toolSurfaceHash: z.string(),
  })
  .meta({ id: 'CodeRunPlan' });

export const codeRun = listedCodeRun
  .extend({
    code: z.string().describe('the code without secrets; long code is cut'),
    codeLines: z.int().describe('lines of the complete code'),
    codeHiddenLines: z.array(z.int()).describe('lines with hidden values'),
    codeIsWhole: z.boolean(),
    error: error.extend({ line: z.int().optional(), column: z.int().optional() }).nullable(),
    output: z.unknown().describe('preview'),
    outputIs: shown,
    logs: z.array(z.object({ level: z.string(), message: z.string(), timestamp })),
    logsAre: shown,
    logsOmitted: z.int().describe('number of lines that are not shown'),
    calls: z.array(callOfRun),
    approvals: z.array(approvalOfRun),
    plan: plan.nullable(),
  })
  .meta({ id: 'CodeRun' });

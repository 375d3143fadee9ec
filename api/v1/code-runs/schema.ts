import { z } from 'zod';
import { SHOWN } from '../../../commands/preview-value.ts';
import { APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { CODE_RUN_STATUSES } from '../../../domain/code-run.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';
import { endUserId, jsonObject, page, text, timestamp, uuid } from '../../schemas.ts';
import { approvalId } from '../approvals/schema.ts';

export const codeRunId = z
  .string()
  .regex(/^crun_[0-9A-Za-z]{22}$/)
  .meta({ examples: ['crun_7Qw2LpT8vB1nC6dR4kX9mZ'] });

export const codeRunsQuery = z.object({
  workspaceId: uuid.optional(),
  mcpServerId: uuid.optional(),
  status: z.enum(CODE_RUN_STATUSES).optional(),
  endUserId: endUserId.optional(),
  createdFrom: z.iso.datetime({ offset: true }).optional().describe('runs that began then or later'),
  createdBefore: z.iso.datetime({ offset: true }).optional(),
  limit: page.shape.limit,
  cursor: z.string().max(500).optional().describe('nextCursor of the page before'),
});

export const cancelBody = z.strictObject({ reason: text.max(DECISION_REASON_MAX_LENGTH).optional() }).optional();

const status = z
  .enum(CODE_RUN_STATUSES)
  .describe('running; waiting for people; and how it ended: executed, failed, or by a rejected, expired or canceled request');

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
    codeHash: z.string().describe('SHA-256 of the code as it was sent'),
    passNumber: z.int().describe('how often the code was run from its start: once more after each pause'),
    runningMs: z.int().describe('running time; waiting for people does not count'),
    createdAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'ListedCodeRun' });

const shown = z
  .enum(SHOWN)
  .describe('`none`: there is none; `deleted`: its time is over; `too_large` to be shown here; `withheld` from whoever may not see it');

const error = z.object({ code: z.string(), message: z.string() });
const position = { line: z.int().nullable(), column: z.int().nullable() };

const callOfRun = z
  .object({
    number: z.int().describe('its place among all that the code asked for, timers too, from 1'),
    alias: z.string().nullable(),
    integrationName: z.string(),
    actionName: z.string(),
    status: z
      .enum(['executing', 'succeeded', 'failed', 'unknown', 'gated', 'blocked'])
      .describe(
        '`gated`: held until a person decides; `unknown`: its process died, and nobody knows whether it took effect; it is not made again',
      ),
    ...position,
    idempotent: z.boolean().nullable().describe('whether it may be made again when its outcome is unknown; null where that was not kept'),
    startedMs: z.int().nullable().describe('running time into the run'),
    durationMs: z.int().nullable(),
    input: jsonObject.nullable().describe('as a preview shows it; null where none was kept'),
    output: z.unknown().describe('as a preview shows it'),
    outputIs: shown,
    error: error.nullable(),
    approvalId: approvalId.nullable().describe('the approval that it was held for, or made under'),
  })
  .meta({ id: 'CodeRunCall' });

const approvalOfRun = z
  .object({
    id: approvalId,
    status: z.enum(APPROVAL_STATUSES),
    callNumber: z.int().nullable().describe('`number` of the call that it is about; null for one of the plan'),
    policyId: uuid.nullable(),
    policyName: z.string().nullable(),
    decidedByType: z.string().nullable(),
    decidedById: z.string().nullable(),
    decisionReason: z.string().nullable(),
    decidedAt: timestamp.nullable(),
    expiresAt: timestamp,
    approvalUrl: z.string().nullable().describe('its page, a bearer link; null for keys that may not decide'),
    codeRunUrl: z.string().nullable().describe('the page of this run, by the same link'),
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
        approvalPolicyId: uuid.optional().describe('the policy that asks a person about this call'),
        input: z.unknown().optional(),
        inputLength: z.int().optional().describe('characters, where the input is known and not shown whole'),
        inputShownLength: z.int().optional().describe('how many of them are shown'),
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
    code: z.string().describe('without its secrets, and cut where it is long'),
    codeLines: z.int().describe('of all of it'),
    codeHiddenLines: z.array(z.int()).describe('lines of which something is hidden'),
    codeIsWhole: z.boolean(),
    error: error.extend({ line: z.int().optional(), column: z.int().optional() }).nullable(),
    output: z.unknown().describe('as a preview shows it'),
    outputIs: shown,
    logs: z.array(z.object({ level: z.string(), message: z.string(), timestamp })),
    logsAre: shown,
    logsOmitted: z.int().describe('lines that are too many to show here'),
    calls: z.array(callOfRun),
    approvals: z.array(approvalOfRun),
    plan: plan.nullable(),
  })
  .meta({ id: 'CodeRun' });

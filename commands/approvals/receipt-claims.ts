import { z } from 'zod';
import type { Approval } from '../../domain/approval.ts';

const actor = z.object({ type: z.string(), id: z.string().nullable() });

/** Ids are the ids of the REST interface; times are by the database clock. */
const common = {
  jti: z.guid().describe('id of the receipt'),
  iss: z.string().describe('address of the installation that signed the receipt'),
  iat: z.int().describe('when the approval was decided, in seconds since 1970'),
  exp: z.int().describe('until when the approved call or program may run, in seconds since 1970'),
  approvalId: z.string(),
  orgId: z.string(),
  workspaceId: z.string(),
  source: z.string(),
  mcpServerId: z.string().nullable(),
  endUserId: z.string().nullable(),
  inputHash: z.string().describe('SHA-256 of the whole binding'),
  policyId: z.string().nullable(),
  policyVersion: z.int().nullable(),
  policyName: z.string().nullable(),
  requestedBy: actor,
  decidedBy: actor,
  decidedAt: z.string(),
};

const ofCall = z.object({
  ...common,
  kind: z.literal('call'),
  workspaceIntegrationId: z.string().nullable(),
  integrationName: z.string(),
  integrationAlias: z.string().nullable(),
  actionName: z.string(),
  connectionId: z.string().nullable(),
  connectionVersion: z.int().nullable().describe('how often the connection was connected'),
  definitionHash: z.string().optional().describe('of a custom integration: SHA-256 of the definition of the action'),
  codeRunId: z.string().nullable(),
  codeHash: z.string().nullable(),
  toolSurfaceHash: z.string().nullable(),
});

const ofPlan = z.object({
  ...common,
  kind: z.literal('code_run_plan'),
  codeRunId: z.string(),
  codeHash: z.string().describe('SHA-256 of the program'),
  toolSurfaceHash: z.string(),
  plannedTools: z
    .array(z.object({ alias: z.string(), action: z.string(), connection: z.string().nullable() }))
    .nullable()
    .describe('the calls that the program may make, each with its account'),
});

/** The claims of a receipt: for one call, or for the plan of a code run (docs/receipts.md). */
export const receiptClaims = z.discriminatedUnion('kind', [ofCall, ofPlan]);
export type ReceiptClaims = z.infer<typeof receiptClaims>;

/**
 * Returns the claims of an approved request. Leaves out the reason of the decision, which some
 * readers of the receipt may not see.
 */
export function claimsOf(approval: Approval, { id, issuer }: { id: string; issuer: string }): ReceiptClaims {
  const decidedAt = approval.decidedAt!;
  const iat = Math.floor(decidedAt.getTime() / 1000);
  const { orgId, workspaceId, source, mcpServerId, endUserId, inputHash, policyId, policyVersion, policyName } = approval;
  const stated = {
    jti: id,
    iss: issuer,
    iat,
    exp: iat + approval.timeoutSeconds,
    approvalId: approval.id,
    ...{ orgId, workspaceId, source, mcpServerId, endUserId, inputHash, policyId, policyVersion, policyName },
    requestedBy: { type: approval.requestedByType, id: approval.requestedById },
    decidedBy: { type: approval.decidedByType!, id: approval.decidedById },
    decidedAt: decidedAt.toISOString(),
  };
  const { codeRunId, codeHash, toolSurfaceHash, plannedTools } = approval;
  if (codeRunId !== null && approval.callNumber === null)
    return { ...stated, kind: 'code_run_plan', codeRunId, codeHash: codeHash!, toolSurfaceHash: toolSurfaceHash!, plannedTools };
  const { workspaceIntegrationId, integrationName, integrationAlias, actionName, connectionId, connectionVersion, definitionHash } =
    approval;
  const called = { workspaceIntegrationId, integrationName, integrationAlias, actionName, connectionId, connectionVersion };
  return { ...stated, kind: 'call', ...called, ...(definitionHash !== null && { definitionHash }), codeRunId, codeHash, toolSurfaceHash };
}

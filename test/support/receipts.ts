import { randomBytes, randomUUID } from 'node:crypto';
import type { ReceiptClaims } from '../../commands/approvals/receipt-claims.ts';
import { hashCall, hashPlan } from '../../commands/calls/hash-call.ts';
import { openReceiptKey, type ReceiptKey } from '../../infra/receipt-keys.ts';

/** Returns a random signing key in the format of RECEIPT_SIGNING_KEY. */
export function aSigningKey(): string {
  return randomBytes(32).toString('base64');
}

export function aReceiptKey(): ReceiptKey {
  return openReceiptKey(aSigningKey());
}

/** Returns the JSON Web Key Set of these keys. */
export function keySetOf(...keys: ReceiptKey[]) {
  return { keys: keys.map(({ publicKey }) => publicKey) };
}

const call = {
  orgId: randomUUID(),
  workspaceId: randomUUID(),
  source: 'rest',
  mcpServerId: null,
  endUserId: 'ada',
  workspaceIntegrationId: randomUUID(),
  integrationName: 'mail',
  integrationAlias: 'mail',
  actionName: 'send',
  connectionId: randomUUID(),
  connectionVersion: 2,
};

const stated = (fields: object) => ({
  jti: randomUUID(),
  iss: 'https://gateway.example',
  iat: 1_800_000_000,
  exp: 4_000_000_000,
  approvalId: 'apr_4kX9mZ7Qw2LpT8vB1nC6dR',
  policyId: randomUUID(),
  policyVersion: 3,
  policyName: 'Ask first',
  requestedBy: { type: 'mcp_token', id: randomUUID() },
  decidedBy: { type: 'hosted_link', id: null },
  decidedAt: '2027-01-15T08:00:00.000Z',
  ...fields,
});

/** Returns the claims in a call's receipt. `fields` overrides claims. */
export function claimsOfCall(input: unknown, fields: object = {}): ReceiptClaims {
  const program = { codeRunId: null, codeHash: null, toolSurfaceHash: null };
  return { kind: 'call', ...call, ...program, inputHash: hashCall({ ...call, input }), ...stated(fields) } as ReceiptClaims;
}

/** Returns the claims in the receipt of a program's plan. `fields` overrides claims. */
export function claimsOfPlan(codeHash: string, fields: object = {}): ReceiptClaims {
  const { orgId, workspaceId, endUserId } = call;
  const place = { orgId, workspaceId, endUserId, source: 'mcp_code', mcpServerId: randomUUID() };
  const plan = { codeRunId: 'crun_1', policyId: randomUUID(), codeHash, toolSurfaceHash: 'f'.repeat(64) };
  const plannedTools = [{ alias: 'mail', action: 'send', connection: `${randomUUID()}/1` }];
  return { kind: 'code_run_plan', ...place, plannedTools, inputHash: hashPlan(plan), ...stated({ ...plan, ...fields }) } as ReceiptClaims;
}

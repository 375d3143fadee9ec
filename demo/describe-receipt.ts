/** A receipt, as the API returns it. */
export interface ShownReceipt {
  id: string;
  approvalId: string;
  claims: {
    policyName: string;
    decidedBy: { type: string; id: string | null };
    decidedAt: string;
    exp: number;
    plannedTools: { alias: string; action: string }[] | null;
    inputHash: string;
  };
}

/** A summary of the receipt of a program. */
export function describeReceipt({ id, approvalId, claims }: ShownReceipt): object {
  const { policyName, decidedBy, decidedAt, exp, plannedTools, inputHash } = claims;
  return {
    receipt: id,
    approval: approvalId,
    policy: policyName,
    mayCall: (plannedTools ?? []).map(({ alias, action }) => `${alias}.${action}`),
    approvedBy: decidedBy.type,
    approvedAt: decidedAt,
    until: new Date(exp * 1000).toISOString(),
    inputHash,
  };
}

/** The commands that fetch a receipt and verify it without the service. */
export function howToVerify({ approvalId }: ShownReceipt, url: string): string {
  return [
    `curl -sS -H "Authorization: Bearer $KEY" ${url}/api/v1/approvals/${approvalId}/receipt > /tmp/receipt.json`,
    `curl -sS ${url}/.well-known/jwks.json > /tmp/keys.json`,
    `npm run --silent verify-receipt -- /tmp/receipt.json --jwks /tmp/keys.json --approval ${approvalId}`,
  ]
    .map((line) => `    ${line}`)
    .join('\n');
}

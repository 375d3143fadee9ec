import { previewInput } from '../redaction/preview-input.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Approver, Policy } from './policy.ts';

/**
 * A policy as the audit trail stores it: everything that decides, at its version, without secrets
 * in webhook addresses and metadata.
 */
export function policyText({ id: _, orgId: __, createdAt: ___, updatedAt: ____, ...policy }: Policy) {
  return {
    ...policy,
    approvers: policy.approvers.map(withoutSecrets),
    metadata: policy.metadata && previewInput(policy.metadata, []).preview,
  };
}

function withoutSecrets(approver: Approver): Approver {
  return approver.type === 'webhook' ? { ...approver, webhookUrl: shownUrl(approver.webhookUrl) } : approver;
}

/** An address without user name, password and query values. */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return REDACTED;
  const user = url.username || url.password ? `${REDACTED}@` : '';
  const query = [...new Set(url.searchParams.keys())].map((name) => `${name}=${REDACTED}`).join('&');
  return `${url.protocol}//${user}${url.host}${url.pathname}${query && `?${query}`}`;
}

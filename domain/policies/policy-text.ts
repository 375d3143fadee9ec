import { hideCredentials } from '../redaction/hide-credentials.ts';
import { previewInput } from '../redaction/preview-input.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Approver, Policy } from './policy.ts';

/**
 * Returns a policy as the audit log stores it. Secrets in the metadata and in webhook addresses are
 * hidden.
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

/** Returns a URL without user name, password, query values, and what looks like a credential. */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return REDACTED;
  const user = url.username || url.password ? `${REDACTED}@` : '';
  const query = [...new Set(url.searchParams.keys())].map((name) => `${name}=${REDACTED}`).join('&');
  return `${hideCredentials(`${url.protocol}//${user}${url.host}${url.pathname}`)}${query && `?${query}`}`;
}

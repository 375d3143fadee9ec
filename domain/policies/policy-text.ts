import { hideCredentials } from '../redaction/hide-credentials.ts';
import { previewInput } from '../redaction/preview-input.ts';
import { REDACTED } from '../redaction/redacted.ts';
import type { Approver, Policy } from './policy.ts';

/**
 * Returns a policy in the form that the audit log stores: all fields except `id`, `orgId` and the
 * times. User names, passwords and query values in webhook addresses are hidden, and secrets in the
 * metadata.
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

/**
 * Returns a URL in which the user name, the password, the query values, and what has the form of a
 * credential are hidden.
 */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return REDACTED;
  const user = url.username || url.password ? `${REDACTED}@` : '';
  const query = [...new Set(url.searchParams.keys())].map((name) => `${name}=${REDACTED}`).join('&');
  return `${hideCredentials(`${url.protocol}//${user}${url.host}${url.pathname}`)}${query && `?${query}`}`;
}

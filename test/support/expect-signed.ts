import { createHmac } from 'node:crypto';
import type { Received } from './receiver.ts';

/**
 * Expects a delivery to carry both signatures, the specification's and that of Standard Webhooks.
 * Each header must list one signature per secret, in the order of `secrets`.
 */
export function expectSigned({ headers, body }: Received, secrets: string[]): void {
  const timestamp = headers['x-svc-timestamp'];
  const hmacs = (text: string, encoding: 'hex' | 'base64') =>
    secrets.map((secret) =>
      createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
        .update(text)
        .digest(encoding),
    );
  expect(headers['x-svc-signature']).toBe(
    [`t=${timestamp}`, ...hmacs(`${timestamp}.${body}`, 'hex').map((hmac) => `v1=${hmac}`)].join(','),
  );
  expect(headers['webhook-signature']).toBe(
    hmacs(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`, 'base64')
      .map((hmac) => `v1,${hmac}`)
      .join(' '),
  );
}

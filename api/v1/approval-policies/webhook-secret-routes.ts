import { z } from 'zod';
import { getApprovalPolicy } from '../../../commands/policies/get-policy.ts';
import { rotateWebhookSecret } from '../../../commands/webhooks/rotate-webhook-secret.ts';
import { type Route, route } from '../../route.ts';
import { emptyBody, idParams, text } from '../../schemas.ts';
import { WEBHOOK_URL_MAX_LENGTH } from './schema.ts';

const url = text.min(1).max(WEBHOOK_URL_MAX_LENGTH).describe('the webhookUrl of the approver; required if the policy has several');

const secret = z.string().meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw4W1kSgY7pXc='] });

/** Signing secrets of a policy's webhooks (contract decisions 3, Webhook secret). */
export const webhookSecretRoutes: Route[] = [
  route({
    tag: 'Approval policies',
    path: '/api/v1/approval-policies/{id}/webhook-secrets/rotate',
    method: 'post',
    params: idParams,
    notFound: 'APPROVAL_POLICY_NOT_FOUND',
    summary: 'Rotate the signing secret of a webhook; both secrets sign for 24 hours',
    description:
      'The new secret is in this answer only. For 24 hours, deliveries have two signatures, one by each secret. Give receivers the new secret in that time. Rotating again ends the oldest secret immediately.',
    query: z.strictObject({ url: url.optional() }),
    body: emptyBody,
    answers: { 200: z.object({ secret }) },
    errors: ['APPROVAL_POLICY_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'],
    handle: async ({ gateway, principal, params, query }) => {
      const policy = await getApprovalPolicy(gateway, principal, params.id);
      return { secret: await rotateWebhookSecret(gateway, principal, policy, query.url) };
    },
  }),
];

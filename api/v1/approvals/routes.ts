import { z } from 'zod';
import { type ApprovalLinks, decidingLinks, readerLinks } from '../../../commands/approvals/approval-links.ts';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { getApproval, readApproval } from '../../../commands/approvals/get-approval.ts';
import { getReceipt } from '../../../commands/approvals/get-receipt.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { type Approval, DECISIONS } from '../../../domain/approval.ts';
import { actorOf, assertMayDecide, assertWorkspace, type KeyPrincipal } from '../../../domain/principal.ts';
import { listApprovals } from '../../../store/approval-list.ts';
import { listWebhookDeliveries } from '../../../store/webhook-deliveries.ts';
import { cursorsOf } from '../../cursor.ts';
import { type Route, route } from '../../route.ts';
import { presentApproval, presentReceipt, presentSignedReceipt, presentWebhookDelivery } from './present.ts';
import { approval, approvalDetail, approvalId, approvalsQuery, decisionBody, receipt, signedReceipt } from './schema.ts';

const TAG = 'Approvals';
const cursors = cursorsOf('approvals', approvalId);
const one = { tag: TAG, params: z.object({ id: approvalId }), notFound: 'APPROVAL_NOT_FOUND' } as const;

const decisions = DECISIONS.map((decision) =>
  route({
    ...one,
    method: 'post',
    path: `/api/v1/approvals/{id}/${decision}`,
    summary: `${decision[0]!.toUpperCase()}${decision.slice(1)} a pending approval`,
    body: decisionBody,
    answers: { 200: z.object({ approval, receipt }) },
    errors: ['APPROVAL_NOT_FOUND', 'SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED', 'APPROVAL_ALREADY_DECIDED', 'APPROVAL_EXPIRED'],
    read: ({ lookups }, keyHash, { id }) => lookups.keyAndApproval(keyHash, id),
    handle: async ({ gateway, principal, record, body }) => {
      const { id } = readApproval(principal, record);
      assertMayDecide(principal);
      const decided = await decideApproval(gateway, { approvalId: id, decision, by: actorOf(principal), ...body });
      return {
        approval: presentApproval(decided.approval, linksFor(gateway, principal, decided.approval)),
        receipt: decided.receipt && presentReceipt(decided.receipt),
      };
    },
  }),
);

/** Approval requests (specification 4.5). */
export const approvalRoutes: Route[] = [
  route({
    tag: TAG,
    method: 'get',
    path: '/api/v1/approvals',
    summary: 'List approvals, newest first',
    query: approvalsQuery,
    isShared: true,
    answers: { 200: z.object({ approvals: z.array(approval), total: z.int(), nextCursor: z.string().nullable() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, limit, cursor, ...filter } }) => {
      const list = { orgId: principal.orgId, filter: { workspaceId, ...filter } };
      const after = cursor === undefined ? undefined : cursors.read(gateway.tokens, list, cursor);
      if (workspaceId !== undefined) assertWorkspace(principal, workspaceId);
      const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [workspaceId];
      const scope = { orgId: principal.orgId, ...(workspaceIds !== 'all' && { workspaceIds }) };
      const { items, total, next } = await listApprovals(gateway.db, { ...filter, ...scope }, { limit, after });
      return {
        approvals: items.map((approval) => presentApproval(approval, linksFor(gateway, principal, approval))),
        total,
        nextCursor: next && cursors.write(gateway.tokens, list, next),
      };
    },
  }),
  route({
    ...one,
    method: 'get',
    path: '/api/v1/approvals/{id}',
    summary: 'Get an approval, with the deliveries of its webhooks',
    answers: { 200: z.object({ approval: approvalDetail }) },
    errors: ['APPROVAL_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => {
      const approval = await getApproval(gateway, principal, params.id);
      const deliveries = await listWebhookDeliveries(gateway.db, approval.id);
      const presented = presentApproval(approval, linksFor(gateway, principal, approval));
      return { approval: { ...presented, ...(deliveries.length > 0 && { webhookDeliveries: deliveries.map(presentWebhookDelivery) }) } };
    },
  }),
  route({
    ...one,
    method: 'get',
    path: '/api/v1/approvals/{id}/receipt',
    summary: 'Get the signed receipt of an approval',
    description:
      'States what was approved, by whom and until when. Grants no permission. Verify it with the keys of `/.well-known/jwks.json`.',
    answers: { 200: z.object({ receipt: signedReceipt }) },
    errors: ['APPROVAL_NOT_FOUND', 'NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => ({
      receipt: presentSignedReceipt(await getReceipt(gateway, principal, params.id)),
    }),
  }),
  ...decisions,
];

function linksFor(gateway: Gateway, principal: KeyPrincipal, approval: Approval): ApprovalLinks {
  return principal.mayDecide ? decidingLinks(gateway, approval) : readerLinks(gateway, approval);
}

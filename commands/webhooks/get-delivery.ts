import { allowsHostedLink } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { type FoundDelivery, findDelivery } from '../../store/webhook-list.ts';
import { readerLinks } from '../approvals/approval-links.ts';
import type { Gateway } from '../gateway.ts';
import { deliveryBody } from './delivery-body.ts';

const HIDDEN_LINK = '(hidden: this link can decide)';
const HIDDEN_LINKS = { approvalUrl: HIDDEN_LINK, hostedApprovalUrl: HIDDEN_LINK };

/** A delivery with its body, in which links are hidden if their holder can decide. */
export interface ShownWebhookDelivery extends FoundDelivery {
  body: object;
}

/** Finds a delivery of the caller's organization. Throws NOT_FOUND, SCOPE_DENIED. */
export async function getDelivery(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<ShownWebhookDelivery> {
  const delivery = await findDelivery(gateway.db, principal.orgId, id);
  if (!delivery) throw new GatewayError('NOT_FOUND', 'There is no such webhook delivery.');
  assertWorkspace(principal, delivery.workspaceId);
  const { approvalId, approvalAccessMode } = delivery;
  const links = allowsHostedLink(approvalAccessMode) ? HIDDEN_LINKS : readerLinks(gateway, { id: approvalId, approvalAccessMode });
  return { ...delivery, body: deliveryBody(delivery, links) };
}

import { z } from 'zod';
import { decideAsPerson } from '../../../../commands/approvals/decide-as-person.ts';
import { getApproval } from '../../../../commands/approvals/get-approval.ts';
import { getReceipt } from '../../../../commands/approvals/get-receipt.ts';
import { openApprovalAsMember } from '../../../../commands/approvals/open-approval-as-member.ts';
import type { OpenedLink } from '../../../../commands/approvals/open-approval-link.ts';
import { redeliverWebhook } from '../../../../commands/webhooks/redeliver-webhook.ts';
import { DECISIONS, type Decision } from '../../../../domain/approval.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { listWebhookDeliveries, type ShownDelivery } from '../../../../store/webhook-deliveries.ts';
import { found } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { approvalId } from '../../../v1/approvals/schema.ts';
import { presentReview } from '../../approval/present-review.ts';
import { readReason } from '../../approval/read-reason.ts';
import { type Cell, listView, timeCell } from '../list.ts';
import { nextPath } from '../next-path.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { DELIVERY_STATES } from '../webhooks/delivery-list.ts';
import { shownAddress } from '../webhooks/shown-address.ts';

const PATH = '/approvals/{id}';

/** Screens of an approval: show it, decide it, show its receipt, and send its webhooks again. */
export const approvalScreens: readonly Screen[] = [
  {
    ...{ path: PATH, role: 'viewer', navigation: 'Approvals' },
    get: async (visit) => approvalPage(visit, await openApproval(visit)),
  },
  {
    ...{ path: `${PATH}/decide`, role: 'member', navigation: 'Approvals' },
    post: async (visit) => {
      const { approval } = await openApproval(visit);
      const decision = readDecision(visit.form.get('decision'));
      const reason = readReason(visit.form.get('reason') ?? '');
      const refuse = async (status: number, notice: Notice) =>
        approvalPage(visit, await openApproval(visit), { status, notice, typed: reason.typed });
      if (reason.problem) return refuse(400, { sentence: reason.problem });
      try {
        await decideAsPerson(visit.gateway, { approval, decision, person: visit.member, reason: reason.text });
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status !== 409) throw error;
        return refuse(409, LATE[error.code] ?? { sentence: error.message });
      }
      const next = visit.form.get('next');
      return { seeOther: next === null ? `/approvals/${approval.id}` : nextPath(next, visit.root), done: DONE[decision] };
    },
  },
  {
    ...{ path: `${PATH}/receipt`, role: 'viewer', navigation: 'Approvals' },
    get: async ({ gateway, principal, params }) => {
      const id = readId(params);
      const { jws, expiresAt } = await getReceipt(gateway, principal, id);
      return { title: 'Receipt', template: 'approvals/receipt', data: { id, jws, expiresAt: timeCell(expiresAt) } };
    },
  },
  {
    ...{ path: `${PATH}/deliveries/{deliveryId}/send`, role: 'member', navigation: 'Approvals' },
    post: async ({ gateway, principal, params }) => {
      const approval = await getApproval(gateway, principal, readId(params));
      const deliveryId = found(uuid.safeParse(params.deliveryId).data);
      await redeliverWebhook(gateway, principal, approval, deliveryId);
      return { seeOther: `/approvals/${approval.id}`, done: 'The webhook is sent again.' };
    },
  },
];

const DONE: Record<Decision, string> = {
  approve: 'You approved the request.',
  reject: 'You rejected the request.',
  cancel: 'You withdrew the request.',
};

const LATE: Partial<Record<string, Notice>> = {
  APPROVAL_ALREADY_DECIDED: { lead: 'Somebody else decided first.', sentence: 'Your decision changed nothing.' },
  APPROVAL_EXPIRED: { lead: 'The time was up.', sentence: 'Your decision changed nothing.' },
};

/** Reads a decision in a form or URL. Throws VALIDATION_ERROR for a value that is no decision. */
export function readDecision(value: string | null): Decision {
  const decision = DECISIONS.find((known) => known === value);
  if (!decision) throw new GatewayError('VALIDATION_ERROR', 'Choose Approve, Reject or Withdraw.');
  return decision;
}

function readId(params: Visit['params']): string {
  return found(approvalId.safeParse(params.id).data);
}

async function openApproval({ gateway, member, params }: Visit): Promise<OpenedLink> {
  return found(await openApprovalAsMember(gateway, member, readId(params)));
}

interface Notice {
  lead?: string;
  sentence: string;
}

interface Attempt {
  status: number;
  notice: Notice;
  typed: string;
}

async function approvalPage(visit: Visit, opened: OpenedLink, attempt?: Attempt): Promise<AppPage> {
  const { gateway } = visit;
  const { approval } = opened;
  const [catalog, deliveries] = await Promise.all([
    gateway.catalog.of(approval.orgId, [approval.integrationName]),
    listWebhookDeliveries(gateway.db, approval.id),
  ]);
  const view = await presentReview(catalog, opened);
  const hasReceipt = opened.receiptExpiresAt !== null;
  const list = deliveries.length > 0 ? listOf(visit, approval.id, deliveries) : undefined;
  const { notice, typed = '' } = attempt ?? {};
  const runPath = opened.run === null ? null : `${visit.root}/runs/${approval.codeRunId}`;
  return {
    ...{ status: attempt?.status ?? 200, title: view.what, template: 'approvals/approval' },
    data: { ...view, runPath, notice, typed, hasReceipt, deliveries: list, mayDecide: view.isWaiting && view.refusal === null },
  };
}

function listOf(visit: Visit, id: string, deliveries: readonly ShownDelivery[]) {
  const maySend = visit.principal.mayDecide;
  return listView(visit, {
    ...{ name: 'Webhook deliveries', plural: 'deliveries', about: '' },
    columns: ['Event', 'To', 'State', 'Attempts', 'Arrived', ...(maySend ? ['Actions'] : [])],
    rows: deliveries.map((delivery): Cell[] => {
      const { eventType, attempt, status, errorMessage, deliveredAt } = delivery;
      const address = shownAddress(visit, delivery.callbackUrl);
      const to = errorMessage === null ? address : { text: address, hint: errorMessage };
      const action = `/approvals/${id}/deliveries/${delivery.id}/send`;
      const send: Cell = { buttons: [{ label: 'Send again', about: `${eventType} to ${address}`, action }] };
      return [eventType, to, DELIVERY_STATES[status], String(attempt), timeCell(deliveredAt), ...(maySend ? [send] : [])];
    }),
  });
}

/** Removes duplicates. */
export const approvalIds = z.array(approvalId).transform((ids) => [...new Set(ids)]);

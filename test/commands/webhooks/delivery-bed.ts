import { setTimeout as delay } from 'node:timers/promises';
import type { NewOrg } from '../../../commands/access/create-org.ts';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { approvalOfCall, requestApproval } from '../../../commands/approvals/request-approval.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { DeliveryStart } from '../../../commands/orchestrator.ts';
import { createApprovalPolicy } from '../../../commands/policies/create-policy.ts';
import { DELIVERIES_DUE, type DeliverySender, openDeliverySender, webhookOutbound } from '../../../commands/webhooks/delivery-sender.ts';
import { openGateway } from '../../../composition/open-gateway.ts';
import type { Approval, Decision } from '../../../domain/approval.ts';
import type { Call } from '../../../domain/call.ts';
import type { Outbound } from '../../../domain/outbound.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import { readConfig } from '../../../infra/config.ts';
import { randomId } from '../../../infra/tokens.ts';
import { listWebhookDeliveries, type ShownDelivery } from '../../../store/webhook-deliveries.ts';
import { newOrg } from '../../support/new-org.ts';
import { cloneDatabase, testEnvironment } from '../../support/system.ts';
import { thePolicy } from '../../support/the-policy.ts';

/** A database with a webhook sender that the test controls, without Temporal. */
export interface DeliveryBed {
  gateway: Gateway;
  org: NewOrg;
  principal: KeyPrincipal;
  sender: DeliverySender;
  /** Retries requested from Temporal. */
  started: DeliveryStart[];
  /** Returns the secrets in the order of the URLs. */
  aPolicy(urls: string[]): Promise<{ policy: Policy; secrets: string[] }>;
  anApproval(policy: Policy): Promise<Approval>;
  decide(approval: Approval, decision?: Decision): Promise<void>;
  deliveries(approval: Approval): Promise<ShownDelivery[]>;
  until(approval: Approval, isRight: (deliveries: ShownDelivery[]) => boolean): Promise<ShownDelivery[]>;
  close(): Promise<void>;
}

export interface DeliveryBedOptions {
  /** Default: the client with which the service sends webhooks. */
  outbound?: (gateway: Gateway) => Outbound;
  /** Whether the sender is notified of due deliveries. Default: true. */
  listens?: boolean;
}

/** Opens a bed with a new database and a new organization. */
export async function openDeliveryBed({ outbound = webhookOutbound, listens = true }: DeliveryBedOptions = {}): Promise<DeliveryBed> {
  const [database, common] = await Promise.all([cloneDatabase(), testEnvironment()]);
  const opened = openGateway(readConfig({ ...common, DATABASE_URL: database.url, LOG_LEVEL: 'silent' }), 'worker');
  const started: DeliveryStart[] = [];
  const orchestrator = {
    ...opened.orchestrator,
    signalSettled: async () => {},
    startDelivery: async (start: DeliveryStart) => void started.push(start),
  };
  const gateway: Gateway = { ...opened, orchestrator };
  const org = await newOrg(database.url, 'Receivers');
  const principal: KeyPrincipal = {
    type: 'api_key',
    id: org.orgId,
    orgId: org.orgId,
    name: 'Test',
    workspaceIds: 'all',
    mayDecide: true,
    policiesVersion: 0,
    seenAt: new Date(),
  };
  const sender = openDeliverySender(gateway, outbound(gateway));
  const unsubscribe = listens ? gateway.notices.subscribe(DELIVERIES_DUE, () => void sender.sendDue()) : () => {};
  const deliveries = (approval: Approval) => listWebhookDeliveries(gateway.db, approval.id);
  return {
    ...{ gateway, org, principal, sender, started, deliveries },
    aPolicy: async (urls) => {
      const { id: _, orgId: __, version: ___, createdAt: ____, updatedAt: _____, ...fields } = thePolicy();
      const approvers = urls.map((webhookUrl) => ({ type: 'webhook' as const, webhookUrl }));
      const { policy, secrets } = await createApprovalPolicy(gateway, principal, { ...fields, approvers });
      return { policy, secrets: urls.map((url) => secrets.get(url)!) };
    },
    anApproval: (policy) => {
      const match = { policy, reasons: ['policy "A policy" matches every action'], risk: null };
      return gateway.db.transaction((tx) =>
        requestApproval(gateway, tx, approvalOfCall({ call: aCall(org), match, inputHash: randomId('hash_') })),
      );
    },
    decide: async ({ id: approvalId }, decision = 'approve') => {
      await decideApproval(gateway, { approvalId, decision, by: { type: 'api_key', id: principal.id } });
    },
    until: async (approval, isRight) => {
      for (;;) {
        const now = await deliveries(approval);
        if (isRight(now)) return now;
        await delay(20);
      }
    },
    close: async () => {
      unsubscribe();
      await sender.close(5000);
      await opened.close();
      await database.drop();
    },
  };
}

function aCall({ orgId, workspaceId }: NewOrg): Call {
  return {
    ...{ orgId, workspaceId, source: 'rest', mcpServerId: null, workspaceIntegrationId: null, integrationName: 'http' },
    ...{ integrationAlias: 'http', actionName: 'send_request', connectionStrategy: null, connectionId: null, connectionVersion: null },
    ...{ endUserId: null, category: 'write', input: { method: 'POST', url: 'https://api.example.com/orders' }, hiddenPaths: [] },
    ...{ requestedBy: { type: 'system', id: null }, arrivedAt: null, idempotent: false },
  };
}

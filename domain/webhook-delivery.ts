import type { ApprovalEvent } from './approval.ts';

/** One event on its way to one endpoint (decisions section 3). `payload` lacks the bearer link, which is added when it is sent. */
export interface WebhookDelivery {
  id: string;
  orgId: string;
  approvalId: string;
  endpointId: string;
  eventType: ApprovalEvent;
  payload: Record<string, unknown>;
  attempt: number;
  status: 'pending' | 'success' | 'failed' | 'retrying';
  httpStatus: number | null;
  errorMessage: string | null;
  createdAt: Date;
  deliveredAt: Date | null;
}

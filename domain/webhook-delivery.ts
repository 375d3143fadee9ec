import type { ApprovalEvent } from './approval.ts';

/** One event on its way to one endpoint (decisions section 3). */
export interface WebhookDelivery {
  id: string;
  approvalId: string;
  endpointId: string;
  eventType: ApprovalEvent;
  /** The body but for `createdAt` and the bearer links, which are added when it is sent. */
  payload: Record<string, unknown>;
  /** How many were made. */
  attempt: number;
  status: 'pending' | 'success' | 'failed' | 'retrying';
  httpStatus: number | null;
  errorMessage: string | null;
  /** When the event happened: later events of an approval have later times. */
  createdAt: Date;
  deliveredAt: Date | null;
}

import type { ApprovalEvent } from './approval.ts';

/** The delivery of one event to one endpoint (contract decisions 3). */
export interface WebhookDelivery {
  id: string;
  approvalId: string;
  endpointId: string;
  eventType: ApprovalEvent;
  /**
   * The body. Sending fills in `createdAt`, `approvalUrl` and `hostedApprovalUrl`, which are null
   * here.
   */
  payload: Record<string, unknown>;
  attempt: number;
  status: 'pending' | 'success' | 'failed' | 'retrying';
  httpStatus: number | null;
  errorMessage: string | null;
  /** When the event happened. Later events of an approval have later times. */
  createdAt: Date;
  deliveredAt: Date | null;
}

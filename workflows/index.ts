/** The workflows that the worker bundles. */
export { approvalWorkflow } from './approval.ts';
export { codeRunWorkflow } from './code-run.ts';
export { webhookDeliveryWorkflow } from './webhook-delivery.ts';

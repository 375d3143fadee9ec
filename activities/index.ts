import type { Gateway } from '../commands/gateway.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { createApprovalActivities } from './approvals.ts';
import { createCodeRunActivities } from './code-runs.ts';
import { createWebhookActivities } from './webhooks.ts';

/** All activities, by name. */
export function createActivities(gateway: Gateway, sandbox: Sandbox) {
  return { ...createApprovalActivities(gateway), ...createWebhookActivities(gateway), ...createCodeRunActivities(gateway, sandbox) };
}

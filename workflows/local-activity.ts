import type { LocalActivityOptions } from '@temporalio/workflow';

/**
 * Options of local activities, which run inside the workflow task (docs/decisions/0078). A retry
 * that is due in more than a second waits in a durable timer, and the workflow task ends meanwhile.
 */
export const LOCAL_ACTIVITY: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

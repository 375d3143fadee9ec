import type { LocalActivityOptions } from '@temporalio/workflow';

/**
 * Options of local activities, which run inside the workflow task (docs/decisions/0078). If a retry
 * is due in more than a second, the workflow task ends, and the retry waits in a durable timer.
 */
export const LOCAL_ACTIVITY: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

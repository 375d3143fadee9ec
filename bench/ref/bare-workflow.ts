import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

export const decided = defineSignal('decided');

/** Waits for one signal, then ends. */
export async function bareWorkflow(): Promise<void> {
  let isDecided = false;
  setHandler(decided, () => {
    isDecided = true;
  });
  await condition(() => isDecided);
}

const { bareActivity } = proxyActivities<{ bareActivity(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** Runs one activity that does nothing, then ends. */
export async function bareActivityWorkflow(): Promise<void> {
  await bareActivity();
}

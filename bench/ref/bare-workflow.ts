import { condition, defineSignal, setHandler } from '@temporalio/workflow';

export const decided = defineSignal('decided');

/** Waits for one signal, and ends. */
export async function bareWorkflow(): Promise<void> {
  let isDecided = false;
  setHandler(decided, () => {
    isDecided = true;
  });
  await condition(() => isDecided);
}

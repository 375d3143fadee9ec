import { extent } from '../support/extent.ts';
import { anOperatorCode } from '../support/operator-codes.ts';
import { until } from '../support/until.ts';
import { useOperatorBed } from './operator-bed.ts';

const { aGatedCall, workflowOf, approvalOf } = useOperatorBed();

/** From this number of events on, Temporal suggests that a workflow continues as new. */
const SUGGESTED_HISTORY_LENGTH = 4096;
const SIGNALS = extent({ whole: SUGGESTED_HISTORY_LENGTH, sample: 600 });

test('a workflow continues as new in a flood of signals, and a later decision counts', async () => {
  const id = await aGatedCall();
  const { runId } = await workflowOf(id).describe();
  for (let sent = 0; sent < SIGNALS; sent += 300) await Promise.all(Array.from({ length: 300 }, () => workflowOf(id).signal('settled')));
  if (SIGNALS >= SUGGESTED_HISTORY_LENGTH) await until(async () => (await workflowOf(id).describe()).runId !== runId);
  await workflowOf(id).signal('approve', { code: await anOperatorCode(id) });
  expect(await workflowOf(id).result()).toBe('approved');
  expect((await approvalOf(id)).status).toBe('approved');
  if (SIGNALS >= SUGGESTED_HISTORY_LENGTH) expect((await workflowOf(id).describe()).historyLength).toBeLessThan(100);
});

import { ApprovalStarts } from '../../../commands/outbox/approval-starts.ts';

function aFlood(count: number) {
  const starts = new ApprovalStarts();
  const ends: (() => void)[] = [];
  const begun = Array.from({ length: count }, (_, at) => starts.begin(`apr_${at}`, () => new Promise<void>((end) => ends.push(end))));
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { starts, begun, endAll };
}

const isSettled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => true), new Promise((later) => setImmediate(later, false))]);

test('a caller waits for the start of its own workflow', async () => {
  const { begun, endAll } = aFlood(1);
  expect(await isSettled(begun[0]!)).toBe(false);
  endAll();
  await begun[0];
});

test('in a flood, a caller does not wait, and its workflow starts later', async () => {
  const { starts, endAll } = aFlood(4);
  const started: string[] = [];
  const start = new Promise<void>((resolve) => {
    void starts.begin('apr_late', async () => resolve(void started.push('apr_late')));
  });
  expect(await isSettled(starts.begin('apr_next', async () => void started.push('apr_next')))).toBe(true);
  expect(started).toEqual([]);
  endAll();
  await start;
  await isSettled(start);
  expect(started).toEqual(['apr_late', 'apr_next']);
});

test('a start can be dropped while it is queued, and not after it has begun', async () => {
  const { starts, begun, endAll } = aFlood(4);
  await isSettled(begun[3]!);
  const started: string[] = [];
  void starts.begin('apr_decided', async () => void started.push('apr_decided'));
  const last = new Promise<void>((resolve) => void starts.begin('apr_last', async () => resolve()));
  expect(starts.drop('apr_decided')).toBe(true);
  expect(starts.drop('apr_decided')).toBe(false);
  expect(starts.drop('apr_3')).toBe(false);
  endAll();
  await last;
  expect(started).toEqual([]);
});

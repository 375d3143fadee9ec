import { AlarmQueue } from '../../../../commands/code-runs/pass/alarm-queue.ts';

test('alarms fire in the order of their due times, not in the order they were set', async () => {
  let nowMs = 0;
  const alarms = new AlarmQueue(() => nowMs);
  const rung: number[] = [];
  const set = [30, 10, 20].map((dueMs) => alarms.until(dueMs).then(() => rung.push(dueMs)));
  nowMs = 30;
  await Promise.all(set);
  expect(rung).toEqual([10, 20, 30]);
});

test('a closed queue fires no more alarms', async () => {
  const alarms = new AlarmQueue(() => 0);
  let isRung = false;
  void alarms.until(0).then(() => {
    isRung = true;
  });
  alarms.close();
  const other = new AlarmQueue(() => 5);
  await other.until(5);
  expect(isRung).toBe(false);
});

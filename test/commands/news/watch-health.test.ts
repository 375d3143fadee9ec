import type { Gateway } from '../../../commands/gateway.ts';
import type { DashboardNews } from '../../../commands/news/dashboard-news.ts';
import { watchHealth } from '../../../commands/news/watch-health.ts';
import type { Notices } from '../../../infra/notices.ts';

const EVERY_MS = 5;
const some = () => new Promise((resolve) => setTimeout(resolve, 20 * EVERY_MS));

function aWatch() {
  const state = { isThere: true, hasWorker: true, isFollowed: true, asked: 0 };
  const told: string[] = [];
  const answer = async <Value>(value: Value) => {
    state.asked += 1;
    if (!state.isThere) throw new Error('away');
    return value;
  };
  const orchestrator = { ping: () => answer(undefined), hasWorker: () => answer(state.hasWorker) } as unknown as Gateway['orchestrator'];
  const news = { isFollowed: () => state.isFollowed, notifyAll: (what: string) => void told.push(what) } as unknown as DashboardNews;
  const notices = { subscribe: () => () => {} } as unknown as Notices;
  return { state, told, ...watchHealth({ orchestrator, notices }, news, EVERY_MS) };
}

test('each outage and each recovery of Temporal or the worker notifies open pages once', async () => {
  const { state, told, outage, stop } = aWatch();
  await some();
  expect(told).toEqual([]);
  for (const [change, away] of [
    [{ isThere: false }, 'temporal'],
    [{ isThere: true }, undefined],
    [{ hasWorker: false }, 'worker'],
    [{ hasWorker: true }, undefined],
  ] as const) {
    told.length = 0;
    Object.assign(state, change);
    await some();
    expect([change, told, outage()]).toEqual([change, ['health/'], away]);
  }
  stop();
});

test('a page that was rendered before an outage was detected is notified', async () => {
  const { state, told, stop } = aWatch();
  state.isThere = false;
  await some();
  expect(told).toEqual(['health/']);
  stop();
});

test('Temporal is queried only while a page is open and the watch is not stopped', async () => {
  const { state, told, outage, stop } = aWatch();
  state.isFollowed = false;
  await some();
  state.asked = 0;
  state.isThere = false;
  await some();
  expect([state.asked, told, outage()]).toEqual([0, [], undefined]);
  stop();
  state.isFollowed = true;
  await some();
  expect(state.asked).toBe(0);
});

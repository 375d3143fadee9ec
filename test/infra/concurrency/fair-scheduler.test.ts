import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FairScheduler, NoSlotError, type SchedulerLimits } from '../../../infra/concurrency/fair-scheduler.ts';

function openBed(limits: SchedulerLimits) {
  const scheduler = new FairScheduler(limits);
  const running: { tenantId: string; end: () => void }[] = [];
  const started: string[] = [];
  return {
    running,
    started,
    ask(tenantId: string, signal = new AbortController().signal, enqueuedAt?: number) {
      return scheduler.run({ tenantId, signal, enqueuedAt }, () => {
        started.push(enqueuedAt === undefined ? tenantId : `${tenantId}${enqueuedAt}`);
        return new Promise<string>((resolve) => running.push({ tenantId, end: () => resolve(tenantId) }));
      });
    },
    async end(index = 0) {
      running.splice(index, 1)[0]!.end();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('tenants get slots in turn, even if one tenant has many jobs', async () => {
  const bed = openBed({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  for (const tenant of ['a', 'a', 'a', 'b', 'b', 'c']) void bed.ask(tenant);
  await settled();
  for (let turn = 0; turn < 6; turn += 1) await bed.end();
  expect(bed.started).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('slots per tenant are limited, and reserved slots go to tenants without a running job', async () => {
  const bed = openBed({ maxConcurrent: 6, maxPerTenant: 3, reserved: 2 });
  for (const tenant of 'aaaaabbbbbcd') void bed.ask(tenant);
  await settled();
  expect(bed.started.join('')).toBe('aaabcd');
});

test('a job that fails frees its slot, and its error reaches the caller', async () => {
  const scheduler = new FairScheduler({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  const failing = scheduler.run({ tenantId: 'a' }, () => Promise.reject(new Error('no luck')));
  const next = scheduler.run({ tenantId: 'a' }, async () => 'done');
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('done');
});

test('a job that is aborted in the queue does not start and blocks no other job', async () => {
  const bed = openBed({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  const first = bed.ask('a');
  const giveUp = new AbortController();
  const second = bed.ask('b', giveUp.signal);
  const third = bed.ask('c');
  giveUp.abort(new Error('too late'));
  await expect(second).rejects.toThrow('too late');
  await expect(bed.ask('d', giveUp.signal)).rejects.toThrow('too late');
  await bed.end();
  expect(await first).toBe('a');
  await bed.end();
  expect(await third).toBe('c');
  expect(bed.started).toEqual(['a', 'c']);
});

test('jobs of one tenant start in the order of enqueuedAt', async () => {
  const bed = openBed({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  void bed.ask('a');
  const giveUp = new AbortController();
  const second = bed.ask('a', giveUp.signal, 2);
  for (const enqueuedAt of [3, 1, 3]) void bed.ask('a', undefined, enqueuedAt);
  giveUp.abort(new Error('offered elsewhere'));
  await expect(second).rejects.toThrow('offered elsewhere');
  void bed.ask('a', undefined, 2);
  for (let turn = 0; turn < 5; turn += 1) await bed.end();
  expect(bed.started).toEqual(['a', 'a1', 'a2', 'a3', 'a3']);
});

test('a tenant that leaves the queue briefly keeps its position', async () => {
  const bed = openBed({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  void bed.ask('a');
  const giveUp = new AbortController();
  const b = bed.ask('b', giveUp.signal);
  void bed.ask('c');
  giveUp.abort(new Error('offered elsewhere'));
  await expect(b).rejects.toThrow('offered elsewhere');
  void bed.ask('b');
  for (let turn = 0; turn < 3; turn += 1) await bed.end();
  expect(bed.started).toEqual(['a', 'b', 'c']);
});

test('with random jobs, the limits hold, and no tenant overtakes a waiting tenant twice', async () => {
  const limits = { maxConcurrent: 4, maxPerTenant: 2, reserved: 1 };
  const event = fc.oneof(fc.constantFrom(...'abcdef'), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
      const bed = openBed(limits);
      const waiting: string[] = [];
      const servedWhileWaiting = new Map<string, string[]>();
      for (const one of events) {
        const before = bed.started.length;
        if (typeof one === 'string') {
          void bed.ask(one);
          waiting.push(one);
          await settled();
        } else if (bed.running.length > 0) await bed.end(one % bed.running.length);
        for (const tenant of bed.started.slice(before)) {
          waiting.splice(waiting.indexOf(tenant), 1);
          servedWhileWaiting.delete(tenant);
          for (const others of servedWhileWaiting.values()) others.push(tenant);
        }
        const slotsOf = (tenant: string) => bed.running.filter((work) => work.tenantId === tenant).length;
        for (const tenant of new Set(waiting))
          if (slotsOf(tenant) === 0 && !servedWhileWaiting.has(tenant))
            servedWhileWaiting.set(tenant, [...new Set(bed.running.map((work) => work.tenantId))]);
        for (const others of servedWhileWaiting.values()) expect(new Set(others).size).toBe(others.length);
        expect(bed.running.length).toBeLessThanOrEqual(limits.maxConcurrent);
        expect(Math.max(0, ...[...'abcdef'].map(slotsOf))).toBeLessThanOrEqual(limits.maxPerTenant);
        if (bed.running.length < limits.maxConcurrent) expect(waiting.filter((tenant) => slotsOf(tenant) === 0)).toEqual([]);
        if (bed.running.length < limits.maxConcurrent - limits.reserved)
          expect(waiting.filter((tenant) => slotsOf(tenant) < 2)).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

test('tryRun runs a job immediately if a slot is free, and otherwise throws NoSlotError', async () => {
  const scheduler = new FairScheduler({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = scheduler.tryRun({ tenantId: 'a' }, () => promise);
  await expect(scheduler.tryRun({ tenantId: 'b' }, async () => 'never')).rejects.toThrow(NoSlotError);
  resolve('done');
  expect(await running).toBe('done');
  expect(await scheduler.tryRun({ tenantId: 'b' }, async () => 'free')).toBe('free');
});

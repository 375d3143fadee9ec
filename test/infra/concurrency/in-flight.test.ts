import { InFlight } from '../../../infra/concurrency/in-flight.ts';

test('drain waits for the current work, including work that fails', async () => {
  const inFlight = new InFlight();
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const tracked = inFlight.track(one.promise);
  inFlight.track(other.promise).catch(() => {});
  const log: string[] = [];
  const drained = inFlight.drain(3_600_000).then(() => log.push('drained'));
  one.resolve('done');
  log.push(await tracked);
  expect(inFlight.size).toBe(1);
  other.reject(new Error('no luck'));
  await drained;
  expect(log).toEqual(['done', 'drained']);
  expect(inFlight.size).toBe(0);
});

test('drain ends after its timeout, and the work continues', async () => {
  const inFlight = new InFlight();
  const { promise, resolve } = Promise.withResolvers<string>();
  const tracked = inFlight.track(promise);
  await inFlight.drain(1);
  expect(inFlight.size).toBe(1);
  resolve('done');
  expect(await tracked).toBe('done');
});

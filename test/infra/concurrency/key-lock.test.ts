import { withKeyLock } from '../../../infra/concurrency/key-lock.ts';

function openWork(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    log.push(`${name} starts`);
    await promise;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end: resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('work under one key runs one at a time, in call order', async () => {
  const log: string[] = [];
  const all = ['a', 'b', 'c'].map((name) => openWork(log, name));
  const results = all.map(({ work }) => withKeyLock('order', work));
  for (const { end } of all.toReversed()) end();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});

test('work under different keys runs in parallel', async () => {
  const log: string[] = [];
  const [a, b] = [openWork(log, 'a'), openWork(log, 'b')];
  const results = [withKeyLock('one', a.work), withKeyLock('other', b.work)];
  await settled();
  expect(log).toEqual(['a starts', 'b starts']);
  a.end();
  b.end();
  await Promise.all(results);
});

test('failing work frees the lock, and its error reaches the caller', async () => {
  const failing = withKeyLock('failure', () => Promise.reject(new Error('no luck')));
  const next = withKeyLock('failure', async () => 'done');
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('done');
});

test('work that waited too long is refused with UNAVAILABLE', async () => {
  const log: string[] = [];
  const long = openWork(log, 'long');
  const holder = withKeyLock('wait', long.work);
  await settled();
  const now = jest.spyOn(performance, 'now');
  const requestedAt = performance.now();
  now.mockReturnValue(requestedAt);
  const late = withKeyLock('wait', openWork(log, 'late').work);
  now.mockReturnValue(requestedAt + 3_600_000);
  long.end();
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  now.mockRestore();
  await holder;
  expect(log).toEqual(['long starts', 'long ends']);
});

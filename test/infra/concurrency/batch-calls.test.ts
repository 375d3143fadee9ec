import { type BatchOptions, batchCalls } from '../../../infra/concurrency/batch-calls.ts';
import { until } from '../../support/until.ts';

function openBed(options?: BatchOptions) {
  const batches: { items: number[]; end: (error?: Error) => void }[] = [];
  const call = batchCalls((items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<(item: number) => string>();
    batches.push({ items, end: (error) => (error ? reject(error) : resolve((item) => `${item} of ${items.length}`)) });
    return promise;
  }, options);
  return { batches, call };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('items that arrive while a batch is processed form the next batch', async () => {
  const { batches, call } = openBed();
  const results = [call(1), call(2), call(3)];
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]!.end();
  await settled();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]!.end();
  expect(await Promise.all(results)).toEqual(['1 of 1', '2 of 2', '3 of 2']);
});

test('an error rejects all items of its batch and no items of other batches', async () => {
  const { batches, call } = openBed();
  const [first, second, third] = [call(1), call(2), call(3)];
  batches[0]!.end();
  await settled();
  batches[1]!.end(new Error('no luck'));
  const fourth = call(4);
  await expect(second).rejects.toThrow('no luck');
  await expect(third).rejects.toThrow('no luck');
  await settled();
  batches[2]!.end();
  expect([await first, await fourth]).toEqual(['1 of 1', '4 of 1']);
});

test('a result that throws rejects only its own item', async () => {
  const call = batchCalls(async (items: number[]) => (item: number) => {
    if (item === 2) throw new Error('not this one');
    return `${item} of ${items.length}`;
  });
  const [first, second, third] = [call(1), call(2), call(3)];
  await expect(second).rejects.toThrow('not this one');
  expect([await first, await third]).toEqual(['1 of 1', '3 of 2']);
});

test('with maxWaitMs, items behind a hanging batch start another batch', async () => {
  const { batches, call } = openBed({ maxWaitMs: 2 });
  const results = [call(1), call(2), call(3)];
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  await until(() => batches.length === 2);
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]!.end();
  expect(await Promise.all(results.slice(1))).toEqual(['2 of 2', '3 of 2']);
  batches[0]!.end();
  expect(await results[0]).toBe('1 of 1');
});

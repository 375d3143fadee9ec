import { batchCalls } from '../../../infra/concurrency/batch-calls.ts';

/** Batches that are processed when the test says so. */
function openBed() {
  const batches: { items: number[]; end: (error?: Error) => void }[] = [];
  const call = batchCalls((items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<(item: number) => string>();
    batches.push({ items, end: (error) => (error ? reject(error) : resolve((item) => `${item} of ${items.length}`)) });
    return promise;
  });
  return { batches, call };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('items that arrive while a batch is processed form the next batch, and each gets its own result', async () => {
  const { batches, call } = openBed();
  const results = [call(1), call(2), call(3)];
  expect(batches.map(({ items }) => items)).toEqual([[1]]);
  batches[0]!.end();
  await settled();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  batches[1]!.end();
  expect(await Promise.all(results)).toEqual(['1 of 1', '2 of 2', '3 of 2']);
});

test('an error rejects its whole batch and no other', async () => {
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

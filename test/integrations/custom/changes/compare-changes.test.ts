import type { Worker } from 'node:worker_threads';
import type { ChangeContent } from '../../../../integrations/custom/changes/change-content.ts';
import { compareChanges } from '../../../../integrations/custom/changes/compare-changes.ts';
import { compare, type PageTask } from '../../../../integrations/custom/changes/comparison.ts';

const side = (action: object, input: Record<string, string | null> = {}, output: Record<string, string | null> = {}) => ({
  text: JSON.stringify({ name: 'act', category: 'read', input: {}, output: {}, ...action }),
  uses: { input, output },
});
const changed = (before: ChangeContent['before'], after: ChangeContent['after']): ChangeContent => ({
  ...{ kind: 'action_changed', actionName: 'act', before, after },
});
const page = (change: ChangeContent, definitions = new Map<string, string>()): PageTask => ({
  ...{ kind: 'page', change, definitions, inheritedUrl: undefined, offset: 0, limit: 100 },
});
const fieldsOf = (task: PageTask) => JSON.parse(compare(task).text);

const reach = { signal: AbortSignal.timeout(100_000), withSlot: <Result>(_: string, work: () => Promise<Result>) => work() };

async function threadsOf(work: () => Promise<unknown>): Promise<number> {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  await work();
  process.off('worker', note);
  return started.length;
}

test('only large changes are compared in a separate thread, with the same result', async () => {
  const small = changed(side({ description: 'a' }), side({ description: 'b' }));
  expect(await threadsOf(() => compareChanges(page(small), reach))).toBe(0);
  const large = changed(side({ description: 'a' }), side({ description: 'b'.repeat(100_000) }));
  for (const task of [page(large), { kind: 'summaries', changes: [large, small], definitions: new Map() } as const]) {
    let answer: unknown;
    const threads = await threadsOf(async () => {
      answer = await compareChanges(task, reach);
    });
    expect([threads, answer]).toEqual([1, compare(task)]);
  }
});

test('a shared schema is read once, even if many actions use it', () => {
  class CountingMap extends Map<string, string> {
    reads: string[] = [];
    override get(key: string) {
      this.reads.push(key);
      return super.get(key);
    }
  }
  const definitions = new CountingMap([
    ['old', '{"type":"string"}'],
    ['new', '{"type":"number"}'],
  ]);
  const changes = Array.from({ length: 2000 }, (_, index) =>
    changed(side({ description: `${index}` }, { Pet: 'old' }), side({ description: `${index}` }, { Pet: 'new' }, { Pet: 'new' })),
  );
  const summaries = compare({ kind: 'summaries', changes, definitions });
  expect(definitions.reads).toEqual(['old', 'new']);
  for (const { fields } of summaries) expect(fields).toEqual([{ path: '$defs.Pet.type', before: 'string', after: 'number' }]);
});

test('a shared schema that changes differently in input and output is shown for both', () => {
  const definitions = new Map([
    ['a', '{"type":"string"}'],
    ['b', '{"type":"number"}'],
  ]);
  const before = side({}, { Pet: 'a' }, { Pet: 'a' });
  expect(fieldsOf(page(changed(before, side({}, { Pet: null }, { Pet: 'b' })), definitions))).toEqual([
    { path: 'inputSchema.$defs.Pet.type', before: 'string', after: null },
    { path: 'outputSchema.$defs.Pet.type', before: 'string', after: 'number' },
  ]);
});

test('names of built-in object properties are ordinary names', () => {
  const hostile = (value: string) => ({
    ...{
      text: `{"name":"act","__proto__":{"category":"read"},"constructor":"${value}","input":{"properties":{"__proto__":{"type":"${value}"}}}}`,
    },
    uses: JSON.parse(`{"input":{"__proto__":"${value}","toString":"same"},"output":{}}`),
  });
  const definitions = new Map([
    ['a', '{"__proto__":{"x":1}}'],
    ['b', '{"__proto__":{"x":2}}'],
  ]);
  expect(fieldsOf(page(changed(hostile('a'), hostile('b')), definitions))).toEqual([
    { path: 'inputSchema.properties.__proto__.type', before: 'a', after: 'b' },
    { path: 'constructor', before: 'a', after: 'b' },
    { path: '$defs.__proto__.__proto__.x', before: 1, after: 2 },
  ]);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('the digest covers the old side, the new side, every shared schema, and the action', () => {
  const digestOf = (change: ChangeContent) => compare({ kind: 'summaries', changes: [change], definitions: new Map() })[0]!.contentDigest;
  const before = side({ description: 'a' }, { Pet: 'x' });
  const after = side({ description: 'b' }, { Pet: 'y' });
  const digests = [
    changed(before, after),
    changed(after, before),
    changed(side({ description: 'c' }, { Pet: 'x' }), after),
    changed(before, side({ description: 'b' }, { Pet: 'z' })),
    { ...changed(before, after), actionName: 'other' },
    { ...changed(before, after), kind: 'action_added' as const },
  ].map(digestOf);
  expect(new Set(digests).size).toBe(digests.length);
  expect(digestOf(changed({ ...before }, { ...after }))).toBe(digests[0]);
});

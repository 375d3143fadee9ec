import { z } from 'zod';
import { action, integration } from '../definition.ts';
import { computeData } from './data/compute-data.ts';
import { conditions } from './data/filter-conditions.ts';
import { MERGES, type MergeStrategy } from './data/merge-objects.ts';
import { pathMapping } from './data/transform-json.ts';

const MAX_ITEMS = 100_000;
const anyArray = z.array(z.unknown()).max(MAX_ITEMS);
const anyObject = z.record(z.string(), z.unknown());

export const dataTransformer = integration({
  name: 'data-transformer',
  displayName: 'Data Transformer',
  description: 'Reshape, merge, filter and split JSON data',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS', 'PRODUCTIVITY'],
  auth: null,
  actions: {
    transform_json: action({
      displayName: 'Transform JSON',
      description:
        'Build an object with fields selected from the input by JSONPath (RFC 9535): mapping { "name": "$.user.name", "ids": "$.items[*].id" }',
      category: 'read',
      input: z.object({
        input: z.unknown().describe('any JSON value'),
        mapping: pathMapping,
      }),
      output: z.object({ result: anyObject }),
      async run({ input: { input, mapping }, ...context }) {
        return { result: (await computeData({ kind: 'transform', input, mapping }, context)) as Record<string, unknown> };
      },
    }),

    merge_objects: action({
      displayName: 'Merge objects',
      description: 'Merge objects into one',
      category: 'read',
      input: z.object({
        objects: z.array(anyObject).min(1).max(1000).describe('objects to merge, in order'),
        strategy: z
          .enum(Object.keys(MERGES) as [MergeStrategy, ...MergeStrategy[]])
          .default('deep')
          .describe(
            'deep: nested objects are merged, other values are replaced by the later one; shallow: the later value wins; first, last: the first or last value of each key that is not null',
          ),
      }),
      output: z.object({ result: anyObject }),
      async run({ input: { objects, strategy }, ...context }) {
        return { result: (await computeData({ kind: 'merge', objects, strategy }, context)) as Record<string, unknown> };
      },
    }),

    filter_array: action({
      displayName: 'Filter array',
      description:
        'The items that meet every condition: { "status": "open", "user.age": { "$gte": 18 } }, by equality or $gt $gte $lt $lte $ne $in $nin',
      category: 'read',
      input: z.object({ array: anyArray.describe('items to choose from'), conditions }),
      output: z.object({ items: z.array(z.unknown()), count: z.number() }),
      async run({ input: { array, conditions }, ...context }) {
        const items = (await computeData({ kind: 'filter', array, conditions }, context)) as unknown[];
        return { items, count: items.length };
      },
    }),

    batch_array: action({
      displayName: 'Batch array',
      description: 'Split an array into batches of a maximum size',
      category: 'read',
      input: z.object({
        array: anyArray.describe('items to split'),
        batchSize: z.number().int().min(1).max(MAX_ITEMS).describe('maximum number of items per batch'),
      }),
      output: z.object({ batches: z.array(z.array(z.unknown())), count: z.number() }),
      run({ input: { array, batchSize } }) {
        const count = Math.ceil(array.length / batchSize);
        return { batches: Array.from({ length: count }, (_, i) => array.slice(i * batchSize, (i + 1) * batchSize)), count };
      },
    }),
  },
});

import { z } from 'zod';
import { action, integration } from '../definition.ts';
import { conditions, itemTest } from './filter-conditions.ts';
import { MERGES, type MergeStrategy } from './merge-objects.ts';
import { runBriefly } from './run-briefly.ts';
import { pathMapping, transformJson } from './transform-json.ts';

const MAX_ITEMS = 100_000;
/** Inputs of 1 MB take a tenth of it, unless they are written to take long. */
const TIME_LIMIT_MS = 1000;
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
        'Build an object whose fields are taken from the input by JSONPath (RFC 9535): mapping { "name": "$.user.name", "ids": "$.items[*].id" }',
      category: 'read',
      input: z.object({
        input: z.unknown().describe('any JSON value'),
        mapping: pathMapping,
      }),
      output: z.object({ result: anyObject }),
      run: ({ input }) => ({ result: transformJson(input.input, input.mapping) }),
    }),

    merge_objects: action({
      displayName: 'Merge objects',
      description: 'Merge objects into one',
      category: 'read',
      input: z.object({
        objects: z.array(anyObject).min(1).max(1000),
        strategy: z
          .enum(Object.keys(MERGES) as [MergeStrategy, ...MergeStrategy[]])
          .default('deep')
          .describe(
            'deep: objects inside are merged too, otherwise the later value wins; shallow: the later value wins; first, last: of each key, the first or last value that is not null',
          ),
      }),
      output: z.object({ result: anyObject }),
      run: ({ input }) => ({ result: runBriefly(TIME_LIMIT_MS, () => MERGES[input.strategy](input.objects)) }),
    }),

    filter_array: action({
      displayName: 'Filter array',
      description:
        'The items that meet every condition: { "status": "open", "user.age": { "$gte": 18 } }, by equality or $gt $gte $lt $lte $ne $in $nin',
      category: 'read',
      input: z.object({ array: anyArray, conditions }),
      output: z.object({ items: z.array(z.unknown()), count: z.number() }),
      run({ input }) {
        const items = runBriefly(TIME_LIMIT_MS, () => input.array.filter(itemTest(input.conditions)));
        return { items, count: items.length };
      },
    }),

    batch_array: action({
      displayName: 'Batch array',
      description: 'Split an array into batches of at most so many items',
      category: 'read',
      input: z.object({ array: anyArray, batchSize: z.number().int().min(1).max(MAX_ITEMS) }),
      output: z.object({ batches: z.array(z.array(z.unknown())), count: z.number() }),
      run({ input: { array, batchSize } }) {
        const count = Math.ceil(array.length / batchSize);
        return { batches: Array.from({ length: count }, (_, i) => array.slice(i * batchSize, (i + 1) * batchSize)), count };
      },
    }),
  },
});

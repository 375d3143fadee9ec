import { z } from 'zod';
import { action, integration } from '../definition.ts';
import { storableText } from './storable-text.ts';

const key = storableText(512).describe('name of the entry, at most 512 bytes; remember it, names cannot be listed');
const value = z.unknown().describe('any JSON value; at most 1 MB per entry');

export const kvStore = integration({
  name: 'kv-store',
  displayName: 'State KV',
  description: 'Keep values and lists between calls',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS', 'PRODUCTIVITY'],
  auth: null,
  actions: {
    put: action({
      displayName: 'Put',
      description: 'Store a value under a key, replacing the old value',
      category: 'write',
      idempotent: true,
      input: z.object({ key, value }),
      output: z.object({ key: z.string(), stored: z.literal(true) }),
      async run({ input, state }) {
        await state().kv.put(input.key, input.value);
        return { key: input.key, stored: true as const };
      },
    }),

    get: action({
      displayName: 'Get',
      description: 'The value under a key; null if there is none',
      category: 'read',
      input: z.object({ key }),
      output: z.object({ key: z.string(), found: z.boolean(), value: z.unknown() }),
      async run({ input, state }) {
        const entry = await state().kv.get(input.key);
        return { key: input.key, found: entry !== undefined, value: entry?.value ?? null };
      },
    }),

    delete: action({
      displayName: 'Delete',
      description: 'Remove a key and its value',
      category: 'delete',
      idempotent: true,
      input: z.object({ key }),
      output: z.object({ key: z.string(), deleted: z.boolean().describe('whether there was something to delete') }),
      run: async ({ input, state }) => ({ key: input.key, deleted: await state().kv.delete(input.key) }),
    }),

    add_to_list: action({
      displayName: 'Add to list',
      description: 'Append a value to the list under a key, creating the list if needed; at most 10,000 items',
      category: 'write',
      input: z.object({ key, value }),
      output: z.object({ key: z.string(), length: z.number() }),
      run: async ({ input, state }) => ({ key: input.key, ...(await state().kv.addToList(input.key, input.value)) }),
    }),

    remove_from_list: action({
      displayName: 'Remove from list',
      description: 'Remove every item that equals the value from the list under a key',
      category: 'delete',
      idempotent: true,
      input: z.object({ key, value }),
      output: z.object({ key: z.string(), removed: z.number(), length: z.number() }),
      run: async ({ input, state }) => ({ key: input.key, ...(await state().kv.removeFromList(input.key, input.value)) }),
    }),
  },
});

import { z } from 'zod';
import type { PageInfo } from '../agent-state.ts';
import { action, integration } from '../definition.ts';
import { searchWords, wordsOf } from './search-words.ts';
import { storableContent, storableText } from './storable-text.ts';

const pageName = storableText(512).describe('name of the page, at most 512 bytes; case counts');
const content = storableContent(1024 * 1024);
const pageInfo = z.object({
  pageName: z.string(),
  sizeBytes: z.number().describe('bytes of UTF-8'),
  createdAt: z.string(),
  updatedAt: z.string(),
});
const savedPage = pageInfo.extend({ created: z.boolean().describe('false if the page existed') });

export const agentScratchpad = integration({
  name: 'agent-scratchpad',
  displayName: 'Agent Scratchpad',
  description: 'Keep pages of working notes between calls',
  logoUrl: null,
  categories: ['AI', 'PRODUCTIVITY'],
  auth: null,
  actions: {
    read_page: action({
      displayName: 'Read page',
      description: 'The content of a page; null if there is none of that name',
      category: 'read',
      input: z.object({ pageName }),
      output: z.object({
        pageName: z.string(),
        found: z.boolean(),
        content: z.string().nullable(),
        sizeBytes: z.number(),
        updatedAt: z.string().nullable(),
      }),
      async run({ input, state }) {
        const page = await state().pages.read(input.pageName);
        const { content = null, sizeBytes = 0, updatedAt } = page ?? {};
        return { pageName: input.pageName, found: page !== undefined, content, sizeBytes, updatedAt: updatedAt?.toISOString() ?? null };
      },
    }),

    write_page: action({
      displayName: 'Write page',
      description: 'Write a page and replace its content; at most 1 MB per page, 1,000 pages, 8 MB in total',
      category: 'write',
      idempotent: true,
      input: z.object({ pageName, content: content.describe('text of the page') }),
      output: savedPage,
      run: async ({ input, state }) => presentSaved(await state().pages.write(input.pageName, input.content)),
    }),

    append_page: action({
      displayName: 'Append to page',
      description: 'Append text to a page exactly as given; creates the page if needed. Start with a line break for a new line',
      category: 'write',
      input: z.object({ pageName, content: content.describe('text to add at the end') }),
      output: savedPage,
      run: async ({ input, state }) => presentSaved(await state().pages.append(input.pageName, input.content)),
    }),

    list_pages: action({
      displayName: 'List pages',
      description: 'All pages by name, without their content',
      category: 'read',
      input: z.object({}),
      output: z.object({ pages: z.array(pageInfo), total: z.number() }),
      async run({ state }) {
        const pages = await state().pages.list();
        return { pages: pages.map(present), total: pages.length };
      },
    }),

    search_pages: action({
      displayName: 'Search pages',
      description: 'Pages that contain every word in name or content, the last changed first, at most 20, each with an excerpt',
      category: 'read',
      input: z.object({ query: searchWords }),
      output: z.object({
        pages: z.array(pageInfo.extend({ excerpt: z.string().describe('300 characters around the first word') })),
        truncated: z.boolean().describe('whether more pages match'),
      }),
      async run({ input, state }) {
        const { pages, truncated } = await state().pages.search(wordsOf(input.query));
        return { pages: pages.map(({ excerpt, ...page }) => ({ ...present(page), excerpt })), truncated };
      },
    }),

    delete_page: action({
      displayName: 'Delete page',
      description: 'Delete a page',
      category: 'delete',
      idempotent: true,
      input: z.object({ pageName }),
      output: z.object({ pageName: z.string(), deleted: z.boolean().describe('whether there was something to delete') }),
      run: async ({ input, state }) => ({ pageName: input.pageName, deleted: await state().pages.delete(input.pageName) }),
    }),

    clear_all: action({
      displayName: 'Clear all',
      description: 'Delete every page',
      category: 'delete',
      idempotent: true,
      input: z.object({}),
      output: z.object({ deletedPages: z.number() }),
      run: async ({ state }) => ({ deletedPages: await state().pages.clear() }),
    }),
  },
});

function presentSaved({ created, ...page }: PageInfo & { created: boolean }) {
  return { ...present(page), created };
}

function present({ name, sizeBytes, createdAt, updatedAt }: PageInfo) {
  return { pageName: name, sizeBytes, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

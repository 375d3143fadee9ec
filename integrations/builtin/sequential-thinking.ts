import { z } from 'zod';
import type { Thought } from '../agent-state.ts';
import { action, integration } from '../definition.ts';
import { storableContent, storableText } from './storable-text.ts';
import { branchesOf, mainLineOf, summarizeChain } from './summarize-chain.ts';

const chainId = storableText(256).describe('a name that you choose for the chain');
const thoughtId = z.number().int().min(1).max(1_000_000);
const content = storableContent(20_000).min(1);

const thought = z.object({
  thoughtId: z.number(),
  content: z.string(),
  follows: z.number().nullable().describe('number of the thought that this thought continues'),
  earlier: z.array(z.string()).describe('earlier texts of the thought, oldest first'),
  createdAt: z.string(),
  updatedAt: z.string(),
});
const place = z.object({
  chainId: z.string(),
  thoughtId: z.number(),
  follows: z.number().nullable().describe('number of the thought that this thought continues'),
  thoughtCount: z.number().describe('number of thoughts in the chain, including branches'),
});

export const sequentialThinking = integration({
  name: 'sequential-thinking',
  displayName: 'Sequential Thinking',
  description: 'Think step by step in stored chains, with branches for alternatives and revisions',
  logoUrl: null,
  categories: ['AI', 'PRODUCTIVITY'],
  auth: null,
  actions: {
    add_thought: action({
      displayName: 'Add thought',
      description:
        'Continue the main line of a chain, or start a chain. Thoughts are numbered from 1; at most 1,000 thoughts and 512 kB per chain, earlier texts included',
      category: 'write',
      input: z.object({ chainId, content: content.describe('the thought') }),
      output: place,
      run: async ({ input, state }) => ({
        chainId: input.chainId,
        ...(await state().thoughts.add(input.chainId, input.content)),
      }),
    }),

    branch_thought: action({
      displayName: 'Branch thought',
      description:
        'Try an alternative: start a branch from a thought, or continue the branch of that name. Numbering continues through the whole chain',
      category: 'write',
      input: z.object({
        chainId,
        thoughtId: thoughtId.describe(
          'to start a branch: the thought that it starts from; to continue a branch: that thought or any thought of the branch',
        ),
        branchName: storableText(128).describe('name of the branch'),
        content: content.describe('the thought'),
      }),
      output: place.extend({ branchName: z.string() }),
      async run({ input, state }) {
        const { chainId, thoughtId, branchName, content } = input;
        return { chainId, branchName, ...(await state().thoughts.branch(chainId, { name: branchName, thoughtId }, content)) };
      },
    }),

    revise_thought: action({
      displayName: 'Revise thought',
      description: 'Replace the text of a thought. The earlier text is kept',
      category: 'write',
      input: z.object({ chainId, thoughtId: thoughtId.describe('the thought to replace'), content: content.describe('its new text') }),
      output: z.object({ chainId: z.string(), thoughtId: z.number(), revision: z.number().describe('number of revisions so far') }),
      async run({ input, state }) {
        const { chainId, thoughtId, content } = input;
        return { chainId, thoughtId, ...(await state().thoughts.revise(chainId, thoughtId, content)) };
      },
    }),

    get_chain: action({
      displayName: 'Get chain',
      description: 'The thoughts of a chain in order, and its branches',
      category: 'read',
      input: z.object({ chainId, includeBranches: z.boolean().default(false).describe('whether to include the thoughts of branches') }),
      output: z.object({
        chainId: z.string(),
        found: z.boolean(),
        thoughtCount: z.number().describe('number of thoughts, including branches'),
        thoughts: z.array(thought).describe('the main line'),
        branches: z.array(
          z.object({
            branchName: z.string(),
            fromThoughtId: z.number().nullable(),
            thoughtCount: z.number(),
            thoughts: z.array(thought).optional(),
          }),
        ),
      }),
      async run({ input, state }) {
        const all = await state().thoughts.read(input.chainId);
        const branches = branchesOf(all).map(({ thoughts, ...branch }) => ({
          ...branch,
          ...(input.includeBranches && { thoughts: thoughts.map(present) }),
        }));
        const thoughts = mainLineOf(all).map(present);
        return { chainId: input.chainId, found: all.length > 0, thoughtCount: all.length, thoughts, branches };
      },
    }),

    summarize_chain: action({
      displayName: 'Summarize chain',
      description:
        'Summary of a chain: counts, branches, revisions and the thoughts in order, each cut at 200 characters; of a long chain the first and last 25 thoughts',
      category: 'read',
      input: z.object({ chainId }),
      output: z.object({
        chainId: z.string(),
        found: z.boolean(),
        thoughtCount: z.number(),
        mainLineCount: z.number(),
        branchCount: z.number(),
        revisionCount: z.number(),
        branches: z.array(z.object({ branchName: z.string(), fromThoughtId: z.number().nullable(), thoughtCount: z.number() })),
        revisedThoughtIds: z.array(z.number()),
        startedAt: z.string().nullable(),
        updatedAt: z.string().nullable(),
        summary: z.string().describe('the summary as text'),
      }),
      run: async ({ input, state }) => summarizeChain(input.chainId, await state().thoughts.read(input.chainId)),
    }),
  },
});

function present({ thoughtId, content, follows, earlier, createdAt, updatedAt }: Thought) {
  return { thoughtId, content, follows, earlier, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

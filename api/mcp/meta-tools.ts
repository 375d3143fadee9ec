import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonSchema } from '../../integrations/catalog.ts';
import { executeCodeRequest } from '../v1/mcp/servers/execute-code/schema.ts';
import { readyTools } from './ready-tools.ts';

const names = z.array(z.string()).min(1).max(50);

/** What the meta-tools of a CODE server take (decisions section 4). */
export const META_INPUTS = {
  svc_search: z.strictObject({
    query: z.string().max(500).optional().describe('Words for what you want to do; leave out to list everything'),
    alias: z.string().optional().describe('Search this integration only'),
    limit: z.number().int().min(1).max(100).optional().describe('Most actions to answer'),
  }),
  svc_read_api: z.strictObject({
    alias: z.string().optional(),
    aliases: names.optional(),
    action: z.string().optional(),
    actions: names.optional(),
    detail: z.enum(['signatures', 'full']).optional().describe('full adds what each field means'),
  }),
  svc_execute: executeCodeRequest,
} as const;

export type MetaTool = keyof typeof META_INPUTS;

const TEXTS: Record<MetaTool, { title: string; description: string; annotations: Tool['annotations'] }> = {
  svc_search: {
    title: 'Search actions',
    description:
      'Find the integrations and actions that your code can call. Answers their aliases, function names and signatures, and whether a call may have to wait for a person to approve it.',
    annotations: { readOnlyHint: true },
  },
  svc_read_api: {
    title: 'Read API',
    description:
      'TypeScript declarations of actions: read those you need before you write code. Name one alias or several, and actions to see fewer.',
    annotations: { readOnlyHint: true },
  },
  svc_execute: {
    title: 'Run code',
    description: `Run JavaScript that calls actions: \`await svc.<alias>.<action>(input)\`, hyphens as underscores. A call resolves to the action's output; a failed one throws an Error with a code. Use top-level await and return what you need. There is no network, file system or import but svc. Send code or approvalId, not both.
Status approval_required: nothing is lost, a person must decide. Give the user the link, and then call svc_execute with only approvalId: the stored run goes on where it stopped. Never send the code again.`,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
};

/** The three tools of every CODE server: the same text whatever the catalogue holds. */
export const META_TOOLS: readonly Tool[] = readyTools(
  (Object.keys(META_INPUTS) as MetaTool[]).map((name) => {
    const { $schema, ...inputSchema } = z.toJSONSchema(META_INPUTS[name], { io: 'input' }) as JsonSchema;
    return { name, ...TEXTS[name], inputSchema: { ...inputSchema, type: 'object' as const } };
  }),
);

import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { HelperTool } from '../../commands/surfaces/helper-tools.ts';
import type { PropOption } from '../../integrations/definition.ts';
import { publicSchema } from '../../integrations/public-schema.ts';

const MAX_ACTIONS_NAMED = 5;
const MAX_OPTIONS = 500;

/** Includes `error`, because some clients validate failed results too (decision record 5). */
const OUTPUT_SCHEMA: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: {
    options: {
      type: 'array',
      items: {
        type: 'object',
        properties: { label: { type: 'string' }, value: { type: ['string', 'number', 'boolean'] } },
        required: ['label', 'value'],
      },
    },
    error: { type: 'object' },
  },
  anyOf: [{ required: ['options'] }, { required: ['error'] }],
};

/** Presents a helper tool in tools/list. */
export function presentHelper({ name, alias, inputs, inputSchema }: HelperTool): Tool {
  const { input } = inputs.values().next().value!;
  const actions = [...inputs.keys()];
  const others = actions.length - MAX_ACTIONS_NAMED;
  const named = `${actions.slice(0, MAX_ACTIONS_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const title = `List the choices of ${input} (${alias})`;
  return {
    name,
    title,
    description: `Lists the values that the input ${input} of ${named} can have. Returns options with label and value: send the value.`,
    inputSchema: publicSchema(inputSchema) as Tool['inputSchema'],
    outputSchema: OUTPUT_SCHEMA,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  };
}

/** The result of a helper tool. */
export function presentOptions(options: readonly PropOption[]): CallToolResult {
  const shown = { options: options.slice(0, MAX_OPTIONS).map(({ label, value }) => ({ label, value })) };
  const cut = `These are the first ${MAX_OPTIONS} of ${options.length}. Use search to find others.`;
  const texts = [JSON.stringify(shown), ...(options.length > MAX_OPTIONS ? [cut] : [])];
  return { content: texts.map((text) => ({ type: 'text', text })), structuredContent: shown, isError: false };
}

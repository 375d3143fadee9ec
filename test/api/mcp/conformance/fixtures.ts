import { z } from 'zod';
import { ActionError, action, integration } from '../../../../integrations/definition.ts';
import { inputSchema } from '../../../../integrations/schema/json-schema.ts';

/** The alias of the fixtures. Over MCP, their tools have names like `conformance__…`. */
export const ALIAS = 'conformance';

/** Part of the schema that the suite requires for the tool `json_schema_2020_12_tool`. */
const ADDRESS = { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };
const CONTACT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: ADDRESS },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const says = (displayName: string, run: () => Promise<string>) =>
  action({
    displayName,
    description: displayName,
    category: 'read',
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async () => ({ text: await run() }),
  });

/**
 * Returns an integration with the tools that the conformance suite calls. Some tools are missing,
 * because an action answers JSON and cannot ask its client. `slow` must resolve after three
 * progress notifications.
 */
export function fixturesWith(slow: () => Promise<void>) {
  const simple = says('Simple text', async () => 'This is a simple text response for testing.');
  return integration({
    name: ALIAS,
    displayName: 'Conformance',
    description: 'For the conformance suite',
    logoUrl: null,
    categories: ['DEVELOPER_TOOLS'],
    auth: null,
    actions: {
      test_simple_text: simple,
      test_logging_tool: simple,
      test_streaming_elicitation: simple,
      test_error_handling: says('Error', () => Promise.reject(new ActionError('This tool intentionally returns an error for testing'))),
      test_tool_with_progress: says('Slow', async () => {
        await slow();
        return 'done';
      }),
      json_schema_2020_12_tool: { ...simple, input: inputSchema(CONTACT) },
    },
  });
}

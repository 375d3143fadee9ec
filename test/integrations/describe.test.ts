import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { openCatalog } from '../../integrations/catalog.ts';
import { action, integration } from '../../integrations/definition.ts';
import { describeIntegration, summarizeIntegration } from '../../integrations/describe.ts';
import { codeObjectSchema } from '../../integrations/schema/value-schema.ts';

const kinds = integration({
  name: 'kinds',
  displayName: 'Kinds',
  description: 'Every kind of input',
  logoUrl: null,
  categories: ['AI'],
  auth: [
    { key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: 'A token' },
    { key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: 'By OAuth' },
  ],
  actions: {
    all: action({
      displayName: 'All',
      description: 'All of them',
      category: 'send',
      input: z.object({
        short: z.string().max(100).describe('a word'),
        long: z.string().max(5000),
        amountLimit: z.number().default(3),
        is_on: z.boolean().optional(),
        when: z.iso.datetime(),
        choice: z.enum(['a', 'b']),
        choices: z.array(z.enum(['a', 'b'])),
        list: z.array(z.string()),
        object: z.object({ x: z.string() }),
        anything: z.unknown(),
        either: z.union([z.string(), z.number()]),
      }),
      output: z.object({}),
      run: () => ({}),
    }),
  },
});

test('props are derived from the schema that validates the input', () => {
  const { actions } = describeIntegration(openCatalog([kinds]).get('kinds'));
  const { props, inputSchema } = actions.all!;
  expect(Object.keys(props)).toEqual(Object.keys(inputSchema.properties as object));
  expect(Object.fromEntries(Object.entries(props).map(([name, { type }]) => [name, type]))).toEqual({
    ...{ short: 'SHORT_TEXT', long: 'LONG_TEXT', amountLimit: 'NUMBER', is_on: 'CHECKBOX', when: 'DATE_TIME', choice: 'STATIC_DROPDOWN' },
    ...{ choices: 'STATIC_MULTI_SELECT_DROPDOWN', list: 'ARRAY', object: 'OBJECT', anything: 'JSON', either: 'JSON' },
  });
  expect(props.short).toEqual({ type: 'SHORT_TEXT', displayName: 'Short', description: 'a word', required: true, refreshers: [] });
  expect(props.amountLimit).toEqual({
    type: 'NUMBER',
    displayName: 'Amount limit',
    description: '',
    required: false,
    defaultValue: 3,
    refreshers: [],
  });
  expect(props.is_on).toMatchObject({ displayName: 'Is on', required: false });
  for (const name of ['choice', 'choices']) {
    expect(props[name]?.options).toEqual({
      options: [
        { label: 'a', value: 'a' },
        { label: 'b', value: 'b' },
      ],
    });
  }
});

test('an entry has name and authentication methods; a summary has counts instead of lists', () => {
  const identity = {
    ...{ name: 'kinds', displayName: 'Kinds', description: 'Every kind of input', logoUrl: null, categories: ['AI'] },
    auth: { type: ['SECRET_TEXT', 'OAUTH2'] },
    authOptions: [
      { key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: 'A token' },
      { key: 'oauth', type: 'OAUTH2', displayName: 'Sign in', description: 'By OAuth' },
    ],
  };
  const entry = openCatalog([kinds]).get('kinds');
  expect(summarizeIntegration(entry)).toEqual({ ...identity, custom: false, actionCount: 1, triggerCount: 0 });
  expect(describeIntegration(entry)).toMatchObject({
    ...identity,
    triggers: {},
    actions: { all: { name: 'all', displayName: 'All', category: 'send' } },
  });
  expect(describeIntegration(openCatalog().get('http'))).toMatchObject({ auth: null, authOptions: [] });
});

test('CUSTOM_AUTH describes its fields and marks secret fields', () => {
  const props = z.object({
    domain: z.string().describe('Such as my-shop.example'),
    apiKey: z.string(),
    region: z.enum(['eu', 'us']).default('eu'),
    tokenUrl: z.string().meta({ public: true }),
  });
  const shop = integration({
    ...kinds,
    name: 'shop',
    auth: [{ key: 'key', type: 'CUSTOM_AUTH', displayName: 'Key', description: '', props: codeObjectSchema(props) }],
  });
  const [option] = describeIntegration(openCatalog([shop]).get('shop')).authOptions;
  expect(option).toMatchObject({
    key: 'key',
    type: 'CUSTOM_AUTH',
    props: {
      domain: { type: 'SHORT_TEXT', description: 'Such as my-shop.example', required: true },
      apiKey: { type: 'SHORT_TEXT', displayName: 'Api key', required: true, secret: true },
      region: { type: 'STATIC_DROPDOWN', required: false, defaultValue: 'eu' },
    },
  });
  expect(Object.entries(option!.props!).flatMap(([name, { secret }]) => (secret ? [name] : []))).toEqual(['apiKey']);
  const [ofS3] = describeIntegration(openCatalog().get('amazon-s3')).authOptions;
  expect(ofS3!.props!.secretAccessKey).toMatchObject({ secret: true, required: true });
  expect(ofS3!.props!.region).not.toHaveProperty('secret');
});

test('the description of every integration is JSON', () => {
  for (const entry of openCatalog().list())
    expect(JSON.parse(JSON.stringify(describeIntegration(entry)))).toMatchObject({ name: entry.name });
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Outbound } from '../../../domain/outbound.ts';
import type { AuthValue, Integration } from '../../../integrations/definition.ts';
import { parseInput } from '../../../integrations/parse-input.ts';
import { providerNamed } from './provider-bed.ts';

const token: AuthValue = { type: 'SECRET_TEXT', secretText: 'token-s3cret' };
const s3: AuthValue = { type: 'CUSTOM_AUTH', props: { accessKeyId: 'AKIA', secretAccessKey: 's3cret', region: 'eu-central-1' } };

const PROVIDERS: [string, Integration, AuthValue, string][] = [
  ['openai', providerNamed('openai'), token, 'https://api.openai.com/v1/'],
  ['slack', providerNamed('slack'), token, 'https://slack.com/api/'],
  ['discord', providerNamed('discord'), token, 'https://discord.com/api/v10/'],
  ['github', providerNamed('github'), token, 'https://api.github.com/'],
  ['clicksend', providerNamed('clicksend'), { type: 'BASIC_AUTH', username: 'a', password: 's3cret' }, 'https://rest.clicksend.com/v3/'],
  ['amazon-s3', providerNamed('amazon-s3'), s3, 'https://s3.eu-central-1.amazonaws.com/'],
];

const ACTIONS = PROVIDERS.flatMap(([name, integration, auth, base]) =>
  Object.entries(integration.actions).map(([key, action]) => ({ title: `${name}.${key}`, action, auth, base })),
);

const NASTY = [
  '.',
  '..',
  '/',
  '//evil.com',
  '@evil.com',
  '\\evil.com',
  'https://evil.com/',
  '../..',
  '%2e%2e',
  '?a=b',
  '#x',
  'a b',
  'ü',
  '\n',
  ':80',
  '+',
];

test.each(ACTIONS)('$title: with any valid input, requests go only to the host of the provider', async ({ action, auth, base }) => {
  const arbitrary = valuesOf(action.input.json as Schema);
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (input) => {
      const parsed = parseInput(action, input);
      fc.pre(parsed.ok);
      const { outbound, urls } = recorder();
      const reach = {
        auth,
        outbound,
        signal: AbortSignal.timeout(60_000),
        now: () => new Date(),
        state: never,
        sandbox: never,
        remoteTools: never,
        schedule: never,
      };
      await Promise.resolve(action.run({ ...reach, input: parsed.input })).catch(expectActionFailed);
      for (const url of urls) expectWithin(base, url);
      asked += urls.length;
    }),
    { numRuns: 60 },
  );
  expect(asked > 0).toBe(!action.displayName.includes('presigned'));
});

test.each(ACTIONS.filter(({ action }) => Object.keys(action.dynamic ?? {}).length > 0))(
  '$title: with any input, choices are requested only from the host of the provider',
  async ({ action, auth, base }) => {
    const filled = fc.oneof(nastyText(), fc.integer(), fc.constant({ a: 1 }), fc.constant(['x']));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.values(action.dynamic!)), fc.array(filled, { minLength: 3 }), async (prop, values) => {
        const input = Object.fromEntries([...prop.refreshers, 'bucket', 'owner'].map((name, index) => [name, values[index]]));
        const { outbound, urls } = recorder();
        const context = { input, search: String(values[0]), auth, outbound, signal: AbortSignal.timeout(60_000) };
        await prop.options!(context).catch(expectActionFailed);
        for (const url of urls) expectWithin(base, url);
      }),
      { numRuns: 30 },
    );
  },
);

function recorder() {
  const urls: string[] = [];
  const outbound: Outbound = {
    async request({ url }) {
      urls.push(url);
      return { status: 200, headers: {}, body: Buffer.from('{}'), url };
    },
    stream: () => Promise.reject(new Error('providers do not stream')),
    checkUrl() {},
    connect: never,
    close: async () => {},
  };
  return { outbound, urls };
}

function expectWithin(base: string, text: string): void {
  const url = new URL(text);
  expect(url.origin).toBe(new URL(base).origin);
  expect(`${url.origin}${url.pathname}`.startsWith(base)).toBe(true);
  expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
}

function expectActionFailed(error: unknown): void {
  expect(error).toMatchObject({ code: 'ACTION_FAILED' });
}

const never = (): never => {
  throw new Error('a provider may only use its third party');
};

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 2 ** 30) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1, max: schema.maximum ?? 1, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: (schema.minItems ?? 0) + 2 });
    case 'object':
      return fc.record(Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, valuesOf(inner)])), {
        requiredKeys: schema.required ?? [],
      });
    default:
      return fc.jsonValue();
  }
}

function textsOf({ pattern, format, minLength = 0, maxLength = 1000 }: Schema): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return nastyText().filter(({ length }) => length >= minLength && length <= maxLength);
}

function nastyText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...NASTY),
    fc.string({ unit: 'grapheme' }),
    fc.webPath(),
    fc.array(fc.constantFrom(...NASTY)).map((parts) => parts.join('')),
  );
}

import { z } from 'zod';
import { type DeclaredAction, type DeclaredIntegration, declarations, signatureOf } from '../../../commands/catalogue/declarations.ts';
import { declaredTool } from '../../../commands/catalogue/declared-tool.ts';
import { readDeclarations } from '../../../commands/catalogue/read-declarations.ts';
import { typescriptOf } from '../../../commands/catalogue/typescript-of-schema.ts';
import { surfaceOf } from '../../../commands/surfaces/surface-cache.ts';
import { type JsonSchema, openCatalog } from '../../../integrations/catalog.ts';
import { aSurface } from '../../support/a-surface.ts';
import { typescriptComplaints } from '../../support/typescript-complaints.ts';

const catalog = openCatalog();
const surface = aSurface(catalog);

const ONE_LINE = { comments: false, limits: false, indent: '' };

function anAction(inputSchema: JsonSchema, fields: Partial<DeclaredAction> = {}): DeclaredAction {
  return { name: 'act', description: 'Does it', inputSchema, outputSchema: {}, dynamic: new Map(), ...fields };
}

function ofZod(input: z.ZodType, output: z.ZodType = z.unknown()): DeclaredAction {
  return anAction(z.toJSONSchema(input, { io: 'input' }), { outputSchema: z.toJSONSchema(output) });
}

function declared(action: DeclaredAction, fields: Partial<DeclaredIntegration> = {}): string {
  return declarations([{ spellings: ['a'], displayName: 'A', actions: [{ spellings: [action.name], action }], ...fields }]);
}

test('schemas written with Zod become TypeScript types', () => {
  const input = z.strictObject({
    'odd key': z.literal(3),
    choice: z.union([z.string(), z.number()]).array(),
    maybe: z.string().nullable(),
    pair: z.tuple([z.string(), z.boolean()]),
    row: z.tuple([z.string(), z.number().optional()]),
    rest: z.tuple([z.string()]).rest(z.number()),
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    open: z.looseObject({ a: z.string().optional() }),
    lists: z.record(z.enum(['in', 'out']), z.string().array()),
    some: z.partialRecord(z.enum(['x-y', 'z']), z.number()),
    any: z.unknown().optional(),
  });
  expect(signatureOf('svc.a.act', ofZod(input, z.record(z.string(), z.number())))).toBe(
    'svc.a.act(input: { "odd key": 3; choice: (string | number)[]; maybe: string | null; pair: [string, boolean]; ' +
      'row: [string, number?]; rest: [string, ...number[]]; both: { a: string; b: string }; open: { a?: string; [key: string]: unknown }; ' +
      'lists: { in: string[]; out: string[] }; some: { "x-y"?: number; z?: number }; any?: unknown }): Promise<Record<string, number>>',
  );
});

test.each([
  [{ allOf: [{ type: ['string', 'null'] }, { type: 'array', items: { enum: [1, 2] } }] }, '(string | null) & ((1 | 2)[])'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ enum: ['a', null, 1, true, { b: 1 }] }, '"a" | null | 1 | true | {"b":1}'],
  [{ anyOf: [{ type: 'string' }, { const: 'a' }, { enum: [1] }] }, 'string | 1'],
  [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
  [{ type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, '{ a?: string }'],
  [{ type: 'object', properties: { a: true }, required: ['a', 'b'], additionalProperties: false }, '{ a: unknown; b: never }'],
  [{ type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }, 'Record<string, string>'],
  [{ type: 'object', required: ['id'], additionalProperties: { type: 'number' } }, '{ id: number; [key: string]: number }'],
  [{ type: 'array', items: [{ type: 'string' }], additionalItems: false }, '[string?]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ not: {} }, 'unknown'],
  [{ type: ['object', 'null'], properties: { a: {} }, additionalProperties: false }, '{ a?: unknown } | null'],
  [{ $ref: '#/definitions/~1odd~0name', definitions: { '/odd~name': { type: 'boolean' } } }, 'boolean'],
  [{ $ref: 'https://example.com/elsewhere.json' }, 'unknown'],
  [{ $ref: '#/constructor/prototype' }, 'unknown'],
  [{ enum: [] }, 'never'],
  [true, 'unknown'],
])('the schema %j becomes the type %s', (schema, expected) => {
  expect(typescriptOf(schema, ONE_LINE)).toBe(expected);
});

test('a recursive type gets a name in declarations and is cut in one-line signatures', async () => {
  const tree = z.strictObject({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  const action = ofZod(z.strictObject({ tree, json: z.json() }), tree);
  expect(signatureOf('svc.a.act', action)).toContain('tree: { name: string; children: unknown[] }');
  const leaf = (children: string) =>
    `await svc.a.act({ json: [{ a: null }], tree: { name: 'a', children: [{ name: 'b', children: ${children} }] } })`;
  const program = `${declared(action)}
    const answer = ${leaf('[]')};
    const deep: string | undefined = answer.children[0]?.children[0]?.name;
    console.log(deep);
    // @ts-expect-error a tree far down without its children
    ${leaf('[{ name: "c" }]')};
    // @ts-expect-error a function is no JSON
    await svc.a.act({ json: { deep: [() => 1] }, tree: { name: 'a', children: [] } });
    declare const console: { log(text: unknown): void };`;
  expect(await typescriptComplaints({ program })).toEqual({});
});

test('declarations stay valid with hostile names and descriptions', async () => {
  const evil = 'ends here */ } ; evil(); /*\n and goes on \u2028 \ud800 `$';
  const keys = ['class', 'a-b', '2fa', 'naïve', 'ключ', 'with "quotes" and \\', '*/', '', 'a\nb'];
  const action = anAction(
    {
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key, { type: 'string', description: evil, default: evil }])),
      additionalProperties: false,
    },
    { name: 'delete', description: evil, outputSchema: { enum: [evil] } },
  );
  const actions = [
    { spellings: ['delete'], action },
    { spellings: ['clear_all', 'clear-all'], action: { ...action, name: 'clear-all' } },
  ];
  const program = `${declared(action, { spellings: ['my_alias', 'my-alias'], displayName: evil, actions })}
    await svc.my_alias.delete(${JSON.stringify(Object.fromEntries(keys.map((key) => [key, 'x'])))});
    await svc["my-alias"]["clear-all"]({ class: 'x' });
    await svc.my_alias.clear_all();
    // @ts-expect-error
    await svc["my-alias"]["clear-all"]({ clas: 'x' });`;
  expect(await typescriptComplaints({ program })).toEqual({});
});

test('comments state defaults, limits, and which inputs decide the choices of another input', () => {
  const input = z.strictObject({
    text: z.string().min(1).max(500).describe('What to say'),
    said: z.string().max(500).describe('at most 500 letters'),
    count: z.int().min(1).max(100).default(10),
    share: z.number().gt(0),
    items: z.string().array().min(2).max(2),
    when: z.iso.datetime(),
    code: z.string().regex(/^[A-Z]{3}$/),
    room: z.string().optional(),
  });
  const action = { ...ofZod(input, z.strictObject({ text: z.string().max(5) })), dynamic: new Map([['room', ['code']]]) };
  const lines = declared(action)
    .split('\n')
    .map((line) => line.trim());
  const above = (field: string) => lines[lines.indexOf(field) - 1];
  expect(above('text: string;')).toBe('/** What to say; max 500 chars */');
  expect(above('said: string;')).toBe('/** at most 500 letters */');
  expect(above('count?: number;')).toBe('/** integer 1 to 100; default 10 */');
  expect(above('share: number;')).toBe('/** above 0 */');
  expect(above('items: string[];')).toBe('/** 2 items */');
  expect(above('when: string;')).toBe('/** date-time */');
  expect(above('code: string;')).toBe('/** matches ^[A-Z]{3}$ */');
  expect(above('room?: string;')).toBe('/** choices by code */');
  expect(lines.slice(lines.indexOf('room?: string;')).filter((line) => line.startsWith('/**'))).toEqual([]);
});

test('a long signature lists optional keys without types', () => {
  const signature = signatureOf('svc.http.send_request', declaredTool(surface.find('http', 'send_request')!));
  expect(signature).toMatch(
    /^svc\.http\.send_request\(input: \{ method: "GET" \| .*; url: string \}\): Promise<.*> \/\/ also: headers, queryParams, /,
  );
});

test('an action without input is called without an argument', () => {
  expect(signatureOf('svc.pages.clear_all', ofZod(z.strictObject({}), z.null()))).toBe('svc.pages.clear_all(): Promise<null>');
});

test('preset inputs are not declared; if all required inputs are preset, the argument is optional', () => {
  const preset = aSurface(catalog, [{ alias: 'web', integrationName: 'http', preset: { method: 'GET', url: 'https://example.com' } }]);
  const text = readDeclarations(catalog, preset, { aliases: ['web'], detail: 'full' });
  expect(text).toContain('send_request(input?: {');
  expect(text.slice(0, text.indexOf('Promise<'))).not.toMatch(/\b(?:method|url)\b.*:/);
});

test.each([
  [{ aliases: ['kvstore'] }, /no alias "kvstore" here\. Did you mean kv-store\? There are: kv-store, /],
  [{ aliases: ['kv-store'], actions: ['ad_to_list'] }, /no action "ad_to_list" in kv-store\. Did you mean add_to_list\? There are: /],
  [
    { aliases: ['kv-store'], actions: ['write_file'] },
    /no action "write_file" in kv-store\. "write_file" is in storage\. Did you mean put\?/,
  ],
  [{ aliases: ['nope'] }, /no alias "nope" here\. There are: advanced-code, agent-memory, /],
])('the error for %j names similar or existing aliases and actions', (request, words) => {
  expect(() => readDeclarations(catalog, surface, { ...request, detail: 'full' })).toThrow(words);
});

test('declarations above the size limit give each alias a share and name the omitted actions', async () => {
  const many = surfaceOf(
    ['wide', 'far'].flatMap((alias) =>
      Array.from({ length: 1000 }, (_, n) => {
        const [tool] = aSurface(catalog, [{ alias, integrationName: 'kv-store', actions: ['put'] }]).tools;
        return { ...tool!, actionName: `put_${n}` };
      }),
    ),
    catalog,
  );
  const request = { aliases: ['wide', 'far', 'small'], detail: 'full' } as const;
  const among = surfaceOf([...many.tools, ...aSurface(catalog, [{ alias: 'small', integrationName: 'hash-encode' }]).tools], catalog);
  const whole = readDeclarations(catalog, among, request);
  const cut = readDeclarations(catalog, among, { ...request, maxLength: 30_000 });
  expect([whole.length > 300_000, cut.length > 20_000, cut.length < 40_000]).toEqual([true, true, true]);
  const declaredOf = (text: string) => [...text.matchAll(/^\w+\(/gm)].length;
  expect(declaredOf(whole)).toBe(2004);
  const rests = [...cut.matchAll(/^\/\/ (\d+) more, declared when they are named in actions: (.*); svc_search finds the other (\d+)$/gm)];
  const counts = rests.map(([, all, names, others]) => [Number(all), names!.split(', ').length + Number(others)]);
  expect(counts).toEqual(counts.map(([all]) => [all, all]));
  expect(declaredOf(cut) + counts.reduce((sum, [all]) => sum + all!, 0)).toBe(2004);
  expect(cut).toContain('generate_uuid(');
  expect(await typescriptComplaints({ program: `${cut}\nawait svc.far.put_0({ key: 'a', value: 1 });` })).toEqual({});
  expect(readDeclarations(catalog, among, { ...request, actions: ['put_999'], maxLength: 30_000 })).toContain('put_999(');
});

test('an alias with a hyphen is declared in brackets if its underscore form is taken', async () => {
  const both = aSurface(
    catalog,
    ['my-kv', 'my_kv'].map((alias) => ({ alias, integrationName: 'kv-store', actions: alias === 'my-kv' ? ['put'] : ['get'] })),
  );
  const text = readDeclarations(catalog, both, { aliases: ['my-kv', 'my_kv'], detail: 'full' });
  const program = `${text}
    await svc["my-kv"].put({ key: 'a', value: 1 });
    await svc.my_kv.get({ key: 'a' });
    // @ts-expect-error
    await svc.my_kv.put({ key: 'a', value: 1 });`;
  expect(await typescriptComplaints({ program })).toEqual({});
  expect(readDeclarations(catalog, both, { aliases: ['my-kv'], detail: 'full' })).toContain('"my-kv": {');
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { declarations, signatureOf } from '../../commands/declarations.ts';
import { typescriptOf } from '../../commands/typescript-of-schema.ts';
import { openCatalog } from '../../integrations/catalog.ts';

const catalog = openCatalog();
const root = new URL('../..', import.meta.url).pathname;

function everyIntegration() {
  return catalog.list().map(({ name, displayName, actions }) => ({ alias: name, displayName, actions: [...actions.values()] }));
}

function actionOf(input: z.ZodType, output: z.ZodType = z.unknown(), name = 'act') {
  return { name, description: 'Does it', inputSchema: z.toJSONSchema(input, { io: 'input' }), outputSchema: z.toJSONSchema(output) };
}

/** What the TypeScript compiler has against a program; empty where it has nothing. */
async function complaints(declared: string, program: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules/.declarations-'));
  try {
    const file = join(folder, 'program.ts');
    await writeFile(file, `${declared}\nasync function run() {\n${program}\n}\nexport { run };\n`);
    const compile = promisify(execFile)(
      join(root, 'node_modules/.bin/tsc'),
      ['--noEmit', '--strict', '--ignoreConfig', '--types', '', file],
      {
        env: { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
      },
    );
    return await compile.then(
      () => '',
      (error: { stdout: string }) => error.stdout.replaceAll(/^.*program\.ts/gm, 'program.ts'),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('programs that use the built-in integrations rightly compile, in both levels of detail', async () => {
  const program = `
    const answer = await svc.http.send_request({ method: 'GET', url: 'https://example.com', headers: { a: 'b' } });
    const status: number = answer.status;
    const { digest }: { digest: string } = await svc.hash_encode.hash({ text: String(status) });
    await svc.kv_store.delete({ key: digest });
    const { files } = await svc.storage.list_files();
    return files.map((file) => file.path.length);`;
  const [full, signatures] = [declarations(everyIntegration()), declarations(everyIntegration(), 'signatures')];
  expect(await Promise.all([complaints(full, program), complaints(signatures, program)])).toEqual(['', '']);
  expect(signatures.length).toBeLessThan(full.length);
});

test('wrong keys, missing keys, wrong types and unknown actions do not compile', async () => {
  const found = await complaints(
    declarations(everyIntegration()),
    `await svc.http.send_request({ method: 'FETCH', url: 'https://example.com' });
    await svc.http.send_request({ method: 'GET' });
    await svc.http.send_request({ method: 'GET', url: 'x', adress: 1 });
    await svc.http.send({});`,
  );
  for (const line of [/'"FETCH"' is not assignable/, /'url' is missing/, /'adress' does not exist/, /'send' does not exist/])
    expect(found).toMatch(line);
});

test('every kind of schema is written as the type it stands for', () => {
  const tree = z.object({
    get children() {
      return z.array(tree);
    },
  });
  const input = z.strictObject({
    'odd key': z.literal(3),
    choice: z.union([z.string(), z.number()]).array(),
    maybe: z.string().nullable(),
    pair: z.tuple([z.string(), z.boolean()]),
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    open: z.looseObject({ a: z.string().optional() }),
    any: z.unknown().optional(),
    tree,
  });
  expect(signatureOf('my-alias', actionOf(input, z.record(z.string(), z.number())))).toBe(
    'svc.my_alias.act(input: { "odd key": 3; choice: (string | number)[]; maybe: string | null; pair: [string, boolean]; ' +
      'both: { a: string; b: string }; open: { a?: string; [key: string]: unknown }; any?: unknown; tree: { children: unknown[] } }): Promise<Record<string, number>>',
  );
});

test('schemas that stand together are an intersection, and those of OpenAPI may be nullable', () => {
  const schema = { allOf: [{ type: ['string', 'null'] }, { type: 'string', nullable: true }, { type: 'array', items: { enum: [1, 2] } }] };
  expect(typescriptOf(schema, { comments: false, indent: '' })).toBe('(string | null) & (string | null) & ((1 | 2)[])');
});

test('descriptions cannot end the comment that they stand in', async () => {
  const text = 'ends here */ } ; evil(); /*\n and goes on';
  const declared = declarations([
    { alias: 'a', displayName: text, actions: [{ ...actionOf(z.object({ k: z.string().describe(text) })), description: text }] },
  ]);
  expect(await complaints(declared, `await svc.a.act({ k: 'x' });`)).toBe('');
});

test('a long signature names its optional keys without their types', () => {
  const signature = signatureOf('http', catalog.getAction('http', 'send_request'));
  expect(signature).toMatch(
    /^svc\.http\.send_request\(input: \{ method: "GET" \| .*; url: string \}\): Promise<.*> \/\/ also: headers, queryParams, /,
  );
});

test('an action without input is called without an argument', () => {
  expect(signatureOf('pages', actionOf(z.strictObject({}), z.null(), 'clear-all'))).toBe('svc.pages.clear_all(): Promise<null>');
});

import { declaredTool } from '../../../commands/catalogue/declared-tool.ts';
import { readDeclarations } from '../../../commands/catalogue/read-declarations.ts';
import { type JsonSchema, openCatalog } from '../../../integrations/catalog.ts';
import { aSurface } from '../../support/a-surface.ts';
import { typescriptComplaints } from '../../support/typescript-complaints.ts';

const catalog = openCatalog();
const surface = aSurface(catalog);
const aliases = Object.keys(surface.actions);
const full = readDeclarations(catalog, surface, { aliases, detail: 'full' });
const signatures = readDeclarations(catalog, surface, { aliases, detail: 'signatures' });

describe('programs over every built-in action, at both levels of detail', () => {
  const calls = surface.tools.map((tool, number) => {
    const { inputSchema, outputSchema, name } = declaredTool(tool);
    const call = (input: unknown) =>
      `await svc.${tool.alias.replaceAll('-', '_')}.${name}(${input === undefined ? '' : JSON.stringify(input)})`;
    return { number, call, inputSchema, outputSchema, least: exampleOf(inputSchema, false), all: exampleOf(inputSchema, true) };
  });
  const takesInput = calls.filter(({ inputSchema }) => keysOf(inputSchema).length > 0);

  const right = calls.flatMap(({ number, call, outputSchema, least, all, inputSchema }) => [
    ...(keysOf(inputSchema).length > 0
      ? [`const out${number} = ${call(all)};`, `${call(least)};`]
      : [`const out${number} = ${call(undefined)};`]),
    ...keysOf(outputSchema).map((key) => `out${number}[${JSON.stringify(key)}];`),
  ]);
  const wrong = [
    ...takesInput.map(({ call, all }) => `${call({ ...(all as object), no_such_key: 1 })};`),
    ...takesInput.flatMap(({ call, all, inputSchema }) =>
      requiredOf(inputSchema).map(
        (key) => `${call(Object.fromEntries(Object.entries(all as object).filter(([other]) => other !== key)))};`,
      ),
    ),
    ...takesInput.flatMap(({ call, all, inputSchema }) =>
      enumsOf(inputSchema).map((key) => `${call({ ...(all as object), [key]: 'no such value' })};`),
    ),
    ...calls.filter(({ outputSchema }) => isClosed(outputSchema)).map(({ number }) => `out${number}.no_such_field;`),
  ];

  test('compile with valid calls; every invalid line is an error', async () => {
    expect(wrong.length).toBeGreaterThan(300);
    const program = [...right, ...wrong.flatMap((line) => ['// @ts-expect-error', line])].join('\n');
    expect(await typescriptComplaints({ full: `${full}\n${program}`, signatures: `${signatures}\n${program}` })).toEqual({});
    expect(signatures.length).toBeLessThan(full.length);
  });
});

test('a realistic program compiles, and each mistake in another program is reported', async () => {
  const program = `
    const answer = await svc.http.send_request({ method: 'GET', url: 'https://example.com', headers: { a: 'b' } });
    const status: number = answer.status;
    const { digest }: { digest: string } = await svc.hash_encode.hash({ text: String(status) });
    await svc["kv-store"].delete({ key: digest });
    const { kv_store, ...others } = svc;
    await Promise.all([kv_store.get({ key: 'a' }), others.storage.list_files()]);
    const { files } = await svc.storage.list_files();
    export const lengths = files.map((file) => file.path.length);`;
  const mistakes = `
    await svc.http.send_request({ method: 'FETCH', url: 'https://example.com' });
    await svc.http.send_request({ method: 'GET' });
    await svc.http.send_request({ method: 'GET', url: 'x', adress: 1 });
    await svc.http.send({});`;
  const found = await typescriptComplaints({
    full: full + program,
    signatures: signatures + program,
    wrong: full + mistakes,
  });
  expect(Object.keys(found)).toEqual(['wrong']);
  const said = found.wrong!.join('\n');
  for (const words of [/'"FETCH"' is not assignable/, /'url' is missing/, /'adress' does not exist/, /'send' does not exist/])
    expect(said).toMatch(words);
});

function keysOf(schema: JsonSchema): string[] {
  return Object.keys((schema.properties ?? {}) as object);
}

function requiredOf(schema: JsonSchema): string[] {
  return (schema.required ?? []) as string[];
}

function enumsOf(schema: JsonSchema): string[] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .filter(([, property]) => Array.isArray(property.enum))
    .map(([key]) => key);
}

function isClosed(schema: JsonSchema): boolean {
  return keysOf(schema).length > 0 && schema.additionalProperties === false;
}

function exampleOf(schema: JsonSchema, all: boolean): unknown {
  const either = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  // The schema `true` accepts any value.
  if (typeof schema === 'boolean') return 'x';
  if ('const' in schema) return schema.const;
  if (schema.enum) return (schema.enum as unknown[])[0];
  if (either) return exampleOf(either.at(all ? -1 : 0)!, all);
  if (schema.type === 'array') return [exampleOf((schema.items ?? {}) as JsonSchema, all)];
  if (schema.type !== 'object')
    return { string: 'x', number: 1.5, integer: 2, boolean: true, null: null }[String(schema.type)] ?? 'anything';
  const keys = all ? keysOf(schema) : requiredOf(schema);
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const named = [...new Set([...keys, ...requiredOf(schema)])];
  if (keysOf(schema).length > 0 || named.length > 0)
    return Object.fromEntries(named.map((key) => [key, exampleOf(properties[key] ?? {}, all)]));
  if (schema.additionalProperties === false) return {};
  const others = typeof schema.additionalProperties === 'object' ? (schema.additionalProperties as JsonSchema) : {};
  return { ...Object.fromEntries(requiredOf(schema).map((key) => [key, exampleOf(others, all)])), any: exampleOf(others, all) };
}

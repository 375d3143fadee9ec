import type { ImportedAction } from '../../../../integrations/custom/imported-integration.ts';
import { type OpenapiInput, type OpenapiReach, readOpenapi } from '../../../../integrations/custom/openapi/read-openapi.ts';
import { inlineReferences } from '../../../../integrations/declarative/inline-references.ts';
import type { JsonSchema } from '../../../../integrations/schema/value-schema.ts';

/** A small OpenAPI 3.1 document with these paths and the keys of `more`. */
export function document(paths: object, more: object = {}): object {
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1.2' }, servers: [{ url: 'https://api.example/v1' }], paths, ...more };
}

/** A document with the keys of `more`, whose only operation is `POST /pets`. */
export function withOperation(operation: object, more: object = {}): object {
  return document({ '/pets': { post: operation } }, more);
}

/** The keys of an operation with a required JSON body. */
export const jsonBody = (schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { 'application/json': { schema } }, ...more },
});

/** The keys of an operation with a JSON answer. */
export const jsonAnswer = (schema: object) => ({ responses: { 200: { content: { 'application/json': { schema } } } } });

/** Reads a document. In the returned actions, references to shared schemas are resolved. */
export async function read(given: object, input: OpenapiInput = {}, reach: Partial<OpenapiReach> = {}) {
  const { integration, report, source } = await readOpenapi(structuredClone(given), input, {
    names: new Map(),
    refused: async () => [],
    ...reach,
  });
  const actions: Record<string, ImportedAction & { input: JsonSchema }> = {};
  for (const { name, text, uses } of integration.actions) {
    const action = JSON.parse(text);
    const resolved = (schema: JsonSchema, used: Readonly<Record<string, string | null>>) =>
      inlineReferences(
        schema,
        Object.fromEntries(
          Object.entries(used).map(([key, hash]) => [key, hash === null ? {} : JSON.parse(integration.definitions[hash]!)]),
        ),
      );
    actions[name] = { ...action, input: resolved(action.input, uses.input), output: resolved(action.output, uses.output) };
  }
  return { actions, report, source, head: integration.head, packed: integration };
}

/** Reads a document that has exactly one action. */
export async function readOne(given: object, input: OpenapiInput = {}) {
  const { actions, report, head } = await read(given, input);
  const [action, another] = Object.values(actions);
  if (!action || another) throw new Error('the document has to have one action');
  return { action, report, head };
}

/** The operations that an import leaves out. A valid operation is added to the document first. */
export async function leftOut(given: object, input: OpenapiInput = {}, reach: Partial<OpenapiReach> = {}) {
  const paths = { ...(given as { paths: object }).paths, '/fine': { get: { operationId: 'fine', responses: {} } } };
  const { report } = await read({ ...given, paths }, input, reach);
  return report.leftOut;
}

/** Returns the document with every object and every list of parameters in reversed order. */
export function reversed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => reversed(item));
    return key === 'parameters' ? items.reverse() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner, name)]),
  );
}

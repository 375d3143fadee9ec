/** The facts of one operation in an API's own document that a provider can be compared with. */
export interface OperationFacts {
  method: string;
  /** Server path included, with the document's parameter names. */
  path: string;
  parameters: { name: string; in: string; required: boolean }[];
  /** Fields of an object body; null if there is no such body. */
  body: { properties: string[]; required: string[]; isOpen: boolean } | null;
}

/** The facts of a provider's actions, from a document in a package. */
export interface Facts {
  source: { package: string; version: string; path: string };
  takenAt: string;
  /** By name of the action; null if the document has no such operation. */
  operations: Record<string, OperationFacts | null>;
}

type Json = Record<string, unknown>;

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Every operation of an OpenAPI 3 or Swagger 2 document. */
export function operationsOf(document: Json): OperationFacts[] {
  return Object.entries((document.paths ?? {}) as Record<string, Json>).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => factsOf(document, item, method, path)),
  );
}

/**
 * Whether a provider's path matches a path of the document. A word such as `me` matches a
 * parameter.
 */
export function isSamePath(ofDocument: string, own: string): boolean {
  const parts = plainPath(ofDocument).split('{}');
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^/]+');
  return new RegExp(`^${pattern}$`).test(plainPath(own));
}

/**
 * The path without parameter names, for comparison. Microsoft Graph accepts the names of its
 * functions with and without their namespace, and treats `me/drive` as one of `drives`.
 */
export function plainPath(path: string): string {
  const plain = path.replace(/\{[^{}]*\}/g, '{}').replace(/\/+$/, '');
  return plain.replace('/microsoft.graph.', '/').replace(/\(\)$/, '').replace('/me/drive/', '/drives/{}/');
}

function factsOf(document: Json, item: Json, method: string, path: string): OperationFacts {
  const operation = item[method] as Json;
  const all = [...((item.parameters ?? []) as Json[]), ...((operation.parameters ?? []) as Json[])].map((one) => resolve(document, one));
  const parameters = all
    .filter((one) => ['path', 'query', 'header'].includes(String(one.in)))
    .map((one) => ({ name: String(one.name), in: String(one.in), required: one.required === true }));
  const servers = operation.servers ?? item.servers ?? document.servers;
  const full = basePathOf({ ...document, servers }) + path;
  return { method: method.toUpperCase(), path: full, parameters, body: bodyOf(document, operation, all) };
}

function bodyOf(document: Json, operation: Json, parameters: readonly Json[]): OperationFacts['body'] {
  const form = parameters.filter((one) => one.in === 'formData');
  if (form.length > 0) {
    const required = form.filter((one) => one.required === true).map((one) => String(one.name));
    return { properties: form.map((one) => String(one.name)), required, isOpen: false };
  }
  const inBody = parameters.find((one) => one.in === 'body')?.schema as Json | undefined;
  const { content } = resolve(document, (operation.requestBody ?? {}) as Json) as { content?: Record<string, { schema?: Json }> };
  const schema = inBody ?? content?.['application/json']?.schema ?? Object.values(content ?? {})[0]?.schema;
  if (!schema) return null;
  const fields = fieldsOf(document, schema);
  return { properties: [...fields.properties].sort(), required: [...fields.required].sort(), isOpen: fields.isOpen };
}

interface Fields {
  properties: Set<string>;
  required: Set<string>;
  isOpen: boolean;
}

/** Fields of all forms together; a field is required if every form requires it. */
function fieldsOf(document: Json, given: Json, depth = 0): Fields {
  const schema = resolve(document, given);
  const own: Fields = {
    properties: new Set(Object.keys((schema.properties ?? {}) as Json)),
    required: new Set((schema.required ?? []) as string[]),
    isOpen: schema.additionalProperties !== undefined && schema.additionalProperties !== false,
  };
  if (depth > 8) return own;
  const parts = ((schema.allOf ?? []) as Json[]).map((part) => fieldsOf(document, part, depth + 1));
  const forms = ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).map((form) => fieldsOf(document, form, depth + 1));
  const inAll = forms.length > 0 ? [...forms[0]!.required].filter((name) => forms.every((form) => form.required.has(name))) : [];
  const all = [own, ...parts, ...forms];
  return {
    properties: new Set(all.flatMap(({ properties }) => [...properties])),
    required: new Set([...own.required, ...parts.flatMap(({ required }) => [...required]), ...inAll]),
    isOpen: all.some(({ isOpen }) => isOpen),
  };
}

function resolve(document: Json, value: Json): Json {
  if (typeof value.$ref !== 'string' || !value.$ref.startsWith('#/')) return value;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return (found ?? {}) as Json;
}

function basePathOf(document: Json): string {
  if (typeof document.basePath === 'string') return document.basePath.replace(/\/$/, '');
  const [server] = (document.servers ?? []) as { url?: string }[];
  return (URL.parse(server?.url ?? '/', 'https://server.invalid')?.pathname ?? '').replace(/\/$/, '');
}

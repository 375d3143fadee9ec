import { type Allowed, allowedBy } from './allowed-values.ts';

/** What an API's own document states about one operation. */
export interface OperationFacts {
  method: string;
  /** Includes the path of the server. Names of parameters are as in the document. */
  path: string;
  parameters: { name: string; in: string; required: boolean; allowed?: Allowed }[];
  /** Null if the document describes no body. */
  body: { properties: string[]; required: string[]; isOpen: boolean; allowed?: Record<string, Allowed> } | null;
}

/** The facts about a provider's actions, from a document in a package. */
export interface Facts {
  source: { package: string; version: string; path: string };
  takenAt: string;
  /** The facts by action name. Null if the document has no such operation. */
  operations: Record<string, OperationFacts | null>;
}

type Json = Record<string, unknown>;

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Returns every operation of an OpenAPI 3 or Swagger 2 document. */
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
 * Returns a path without parameter names, for comparison. Spellings that Microsoft Graph treats as
 * equal become the same path.
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
    .map((one) => {
      // In Swagger 2, the keywords of the schema are in the parameter itself.
      const allowed = allowedBy((one.schema ?? one) as Json, (value) => resolve(document, value));
      return { name: String(one.name), in: String(one.in), required: one.required === true, ...(allowed && { allowed }) };
    });
  const servers = operation.servers ?? item.servers ?? document.servers;
  const full = basePathOf({ ...document, servers }) + path;
  return { method: method.toUpperCase(), path: full, parameters, body: bodyOf(document, operation, all) };
}

function bodyOf(document: Json, operation: Json, parameters: readonly Json[]): OperationFacts['body'] {
  const form = parameters.filter((one) => one.in === 'formData');
  if (form.length > 0) {
    const required = form.filter((one) => one.required === true).map((one) => String(one.name));
    const fields = Object.fromEntries(form.map((one) => [String(one.name), one]));
    return { properties: Object.keys(fields), required, isOpen: false, ...withAllowed(document, fields) };
  }
  const inBody = parameters.find((one) => one.in === 'body')?.schema as Json | undefined;
  const { content } = resolve(document, (operation.requestBody ?? {}) as Json) as { content?: Record<string, { schema?: Json }> };
  const schema = inBody ?? content?.['application/json']?.schema ?? Object.values(content ?? {})[0]?.schema;
  if (!schema) return null;
  const fields = fieldsOf(document, schema);
  const properties = [...fields.properties.keys()].sort();
  const described = Object.fromEntries(properties.map((name) => [name, { anyOf: fields.properties.get(name)! }]));
  return { properties, required: [...fields.required].sort(), isOpen: fields.isOpen, ...withAllowed(document, described) };
}

function withAllowed(document: Json, fields: Readonly<Record<string, Json>>): { allowed?: Record<string, Allowed> } {
  const limited = Object.entries(fields).flatMap(([name, schema]) => {
    const allowed = allowedBy(schema, (value) => resolve(document, value));
    return allowed ? [[name, allowed]] : [];
  });
  return limited.length > 0 ? { allowed: Object.fromEntries(limited) } : {};
}

interface Fields {
  /** The schemas of each field: one from each part or alternative that has the field. */
  properties: Map<string, Json[]>;
  required: Set<string>;
  isOpen: boolean;
}

/** A field is required if the schema, one of its `allOf` parts or every alternative requires it. */
function fieldsOf(document: Json, given: Json, depth = 0): Fields {
  const schema = resolve(document, given);
  const own: Fields = {
    properties: new Map(Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, field]) => [name, [field]])),
    required: new Set((schema.required ?? []) as string[]),
    isOpen: schema.additionalProperties !== undefined && schema.additionalProperties !== false,
  };
  if (depth > 8) return own;
  const parts = ((schema.allOf ?? []) as Json[]).map((part) => fieldsOf(document, part, depth + 1));
  const forms = ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).map((form) => fieldsOf(document, form, depth + 1));
  const inAll = forms.length > 0 ? [...forms[0]!.required].filter((name) => forms.every((form) => form.required.has(name))) : [];
  const all = [own, ...parts, ...forms];
  return {
    properties: joined(all.map(({ properties }) => properties)),
    required: new Set([...own.required, ...parts.flatMap(({ required }) => [...required]), ...inAll]),
    isOpen: all.some(({ isOpen }) => isOpen),
  };
}

function joined(maps: readonly Fields['properties'][]): Fields['properties'] {
  const all: Fields['properties'] = new Map();
  for (const [name, schemas] of maps.flatMap((map) => [...map])) all.set(name, [...(all.get(name) ?? []), ...schemas]);
  return all;
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
  const path = URL.parse(server?.url ?? '/', 'https://server.invalid')?.pathname ?? '';
  // A variable in the server's path becomes a parameter, as in other paths.
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}').replace(/\/$/, '');
}

import { type Allowed, allowedBy } from './allowed-values.ts';
import type { OperationFacts } from './read-facts.ts';

type Json = Record<string, unknown>;

interface DiscoveryMethod {
  httpMethod: string;
  path: string;
  flatPath?: string;
  parameters?: Record<string, { location: string; required?: boolean }>;
  request?: { $ref: string };
  mediaUpload?: { protocols: { simple?: { path: string } } };
}

/**
 * Returns every operation of a document in Google's discovery format. An upload is a second
 * operation.
 */
export function discoveryOperations(document: Json): OperationFacts[] {
  const { rootUrl, servicePath = '' } = document as { rootUrl: string; servicePath?: string };
  const base = new URL(servicePath, rootUrl).pathname.replace(/\/$/, '');
  const everywhere = Object.keys((document.parameters ?? {}) as Json);
  return methodsIn(document).flatMap(({ httpMethod, path, flatPath, parameters = {}, request, mediaUpload }) => {
    const own = Object.entries(parameters).map(([name, parameter]) => {
      const allowed = allowedIn(document, parameter as unknown as Json);
      return { name, in: parameter.location, required: parameter.required === true, ...(allowed && { allowed }) };
    });
    const shared = everywhere.map((name) => ({ name, in: 'query', required: false }));
    const schema = request && ((document.schemas as Json)[request.$ref] as { properties?: Json });
    const properties = Object.keys(schema?.properties ?? {}).sort();
    const limited = Object.entries((schema?.properties ?? {}) as Record<string, Json>).flatMap(([name, field]) => {
      const allowed = allowedIn(document, field);
      return allowed ? [[name, allowed] as const] : [];
    });
    const body = schema
      ? { properties, required: [], isOpen: false, ...(limited.length > 0 && { allowed: Object.fromEntries(limited) }) }
      : null;
    const facts = { method: httpMethod, path: `${base}/${flatPath ?? path}`, parameters: [...own, ...shared], body };
    const upload = mediaUpload?.protocols.simple?.path;
    return upload ? [facts, { ...facts, path: upload, body: null }] : [facts];
  });
}

/** References in this format are names of schemas. */
function allowedIn(document: Json, schema: Json): Allowed | undefined {
  return allowedBy(schema, (value) => (typeof value.$ref === 'string' ? (((document.schemas as Json)[value.$ref] ?? {}) as Json) : value));
}

function methodsIn(node: Json): DiscoveryMethod[] {
  const inner = Object.values((node.resources ?? {}) as Record<string, Json>).flatMap(methodsIn);
  return [...Object.values((node.methods ?? {}) as Record<string, DiscoveryMethod>), ...inner];
}

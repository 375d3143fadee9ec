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
 * Every operation of a document in Google's discovery format. An upload counts as a second
 * operation.
 */
export function discoveryOperations(document: Json): OperationFacts[] {
  const { rootUrl, servicePath = '' } = document as { rootUrl: string; servicePath?: string };
  const base = new URL(servicePath, rootUrl).pathname.replace(/\/$/, '');
  const everywhere = Object.keys((document.parameters ?? {}) as Json);
  return methodsIn(document).flatMap(({ httpMethod, path, flatPath, parameters = {}, request, mediaUpload }) => {
    const own = Object.entries(parameters).map(([name, { location, required }]) => ({ name, in: location, required: required === true }));
    const shared = everywhere.map((name) => ({ name, in: 'query', required: false }));
    const schema = request && ((document.schemas as Json)[request.$ref] as { properties?: Json });
    const properties = Object.keys(schema?.properties ?? {}).sort();
    const body = schema ? { properties, required: [], isOpen: false } : null;
    const facts = { method: httpMethod, path: `${base}/${flatPath ?? path}`, parameters: [...own, ...shared], body };
    const upload = mediaUpload?.protocols.simple?.path;
    return upload ? [facts, { ...facts, path: upload, body: null }] : [facts];
  });
}

function methodsIn(node: Json): DiscoveryMethod[] {
  const inner = Object.values((node.resources ?? {}) as Record<string, Json>).flatMap(methodsIn);
  return [...Object.values((node.methods ?? {}) as Record<string, DiscoveryMethod>), ...inner];
}

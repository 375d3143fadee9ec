import type { Method, Root, Service, Type } from 'protobufjs';

/** A method of Temporal's services and its path in the HTTP API. */
export interface TemporalRoute {
  httpMethod: string;
  pattern: RegExp;
  /** Fields in the path, in order, such as `workflowExecution.workflowId`. */
  pathFields: string[];
  /** The field that the body sets. `*`: the whole request. Undefined: no body. */
  body: string | undefined;
  /** Such as `/temporal.api.workflowservice.v1.WorkflowService/SignalWorkflowExecution`. */
  rpc: string;
  request: Type;
  response: Type;
}

const SERVICES = ['temporal.api.workflowservice.v1.WorkflowService', 'temporal.api.operatorservice.v1.OperatorService'];

/**
 * Returns the routes below /api/v1/ that the services declare (google.api.http). Routes with fewer
 * path fields come first.
 */
export function temporalRoutes(root: Root): TemporalRoute[] {
  const routes = SERVICES.flatMap((name) => {
    const service: Service = root.lookupService(name);
    return service.methodsArray.flatMap((method) => routesOf(name, method));
  });
  return routes.sort((one, other) => one.pathFields.length - other.pathFields.length);
}

interface Binding {
  body?: string;
  additional_bindings?: Binding | Binding[];
  [httpMethod: string]: unknown;
}

const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function routesOf(service: string, method: Method): TemporalRoute[] {
  method.resolve();
  const declared = (method.parsedOptions ?? []) as Record<string, Binding | Binding[]>[];
  const bindings = declared.flatMap((option) => option['(google.api.http)'] ?? []) as Binding[];
  const all: Binding[] = bindings.flatMap((binding) => [binding, ...[binding.additional_bindings ?? []].flat()]);
  return all.flatMap((binding) => {
    const httpMethod = HTTP_METHODS.find((name) => typeof binding[name] === 'string');
    const template = httpMethod ? String(binding[httpMethod]) : '';
    if (!httpMethod || !template.startsWith('/api/v1/')) return [];
    return {
      ...{ httpMethod: httpMethod.toUpperCase(), pattern: patternOf(template), body: binding.body },
      pathFields: [...template.matchAll(/\{([^}=]+)[^}]*\}/g)].map(([, field]) => camelCase(field!)),
      rpc: `/${service}/${method.name}`,
      request: method.resolvedRequestType!,
      response: method.resolvedResponseType!,
    };
  });
}

/** A field is one path segment; a slash in its value is written %2F. */
function patternOf(template: string): RegExp {
  const parts = template.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^/]+)')}$`);
}

/** Converts a field path to its JSON name. */
export function camelCase(path: string): string {
  return path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

import type { AuthDocument } from '../../declarative/document.ts';
import type { OperationCall } from '../../declarative/operation.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { AuthMethods } from './auth-methods.ts';
import { LeftOutError } from './left-out.ts';

/** How calls of an operation are authenticated. */
export interface OperationSecurity extends Pick<OperationCall, 'auth' | 'authOptional'> {
  /** Parameters that the credentials fill, such as `query:api_key` or `header:x-key`. */
  filled: ReadonlySet<string>;
  /** Must be called if the operation is imported: its methods and scopes are then offered. */
  use(): void;
}

const NONE: OperationSecurity = { auth: [], filled: new Set(), use: () => {} };

/**
 * Returns the security that an operation or its document requires. The account is optional if a
 * requirement is empty, or if the document has schemes, but no `security` anywhere. Throws
 * LeftOutError.
 */
export function securityOf(
  methods: AuthMethods,
  document: Record<string, unknown>,
  operation: Record<string, unknown>,
  isEverRequired: boolean,
): OperationSecurity {
  const said = Array.isArray(operation.security) ? operation.security : Array.isArray(document.security) ? document.security : undefined;
  if (said === undefined && !isEverRequired)
    return toSecurity(
      methods,
      methods.names.map((name) => ({ [name]: [] })),
      true,
    );
  const requirements = (said ?? []).filter(isObject);
  const alternatives = requirements.filter((requirement) => Object.keys(requirement).length > 0);
  const isOptional = alternatives.length < requirements.length;
  return alternatives.length === 0 ? NONE : toSecurity(methods, alternatives, isOptional);
}

function toSecurity(methods: AuthMethods, alternatives: readonly Record<string, unknown>[], isOptional: boolean): OperationSecurity {
  const found = alternatives.slice(0, 20).map((requirement) => methods.methodsOf(requirement));
  const usable = found.flatMap((alternative) => ('methods' in alternative ? alternative.methods : []));
  if (usable.length === 0) {
    if (isOptional) return NONE;
    const [problem] = found.flatMap((alternative) => ('problem' in alternative ? [alternative.problem] : []));
    throw new LeftOutError('unsupported_security', problem ?? 'The operation requires a kind of authentication that is not supported.');
  }
  return {
    auth: [...new Set(usable.map(({ key }) => key))],
    ...(isOptional && { authOptional: true }),
    filled: new Set(usable.flatMap(({ filled }) => filled)),
    use: () => {
      for (const { key, scopes } of usable) methods.use(key, scopes);
    },
  };
}

/** Returns the security of an operation if the caller has set the auth methods. */
export function ownSecurity(auth: readonly AuthDocument[] | null, operation: Record<string, unknown>): OperationSecurity {
  if (auth === null || auth.length === 0) return NONE;
  const filled = new Set(auth.flatMap(({ authenticate }) => filledBy(authenticate)));
  const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
  return { ...(isOpen ? { auth: [] } : {}), filled, use: () => {} };
}

function filledBy(how: AuthDocument['authenticate']): string[] {
  if (!isObject(how)) return [];
  if ('header' in how) return [`header:${how.header.toLowerCase()}`];
  if ('query' in how) return [`query:${how.query}`];
  const { headers = {}, parameters = {} } = how as { headers?: object; parameters?: object };
  return [...Object.keys(headers).map((name) => `header:${name.toLowerCase()}`), ...Object.keys(parameters).map((name) => `query:${name}`)];
}

/** Completes the caller's auth methods: `authenticate` defaults to the usual way of the type. */
export function ownMethods(auth: readonly AuthDocument[] | null): AuthDocument[] | null {
  if (auth === null || auth.length === 0) return null;
  return auth.map((method) => {
    const usual = method.type === 'BASIC_AUTH' ? 'basic' : method.type === 'CUSTOM_AUTH' ? undefined : 'bearer';
    return method.authenticate !== undefined || usual === undefined ? method : { ...method, authenticate: usual };
  });
}

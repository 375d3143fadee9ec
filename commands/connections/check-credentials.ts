import type { Issue } from '../../domain/bound-error.ts';
import type { ConnectionType } from '../../domain/connection.ts';
import { validationError } from '../../domain/errors.ts';
import { headerProblem } from '../../domain/header-problem.ts';
import type { CatalogIntegration } from '../../integrations/catalog.ts';
import type { AuthMethod } from '../../integrations/definition.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import type { Credentials } from './connection-credentials.ts';

/**
 * Validates credentials against the integration's auth definition (contract decisions 2,
 * Connections), and returns them as their auth method parses them. Throws VALIDATION_ERROR; no
 * issue quotes a credential.
 */
export function checkCredentials(
  integration: Pick<CatalogIntegration, 'name' | 'auth'>,
  credentials: Credentials,
  authMethodKey: string | undefined,
): { method: AuthMethod; credentials: Credentials } {
  const method = chooseAuthMethod(integration, credentials.type, authMethodKey);
  if (method.isSentInHeader && credentials.type === 'SECRET_TEXT' && headerProblem('authorization', credentials.secretText))
    throw refuse('secretText', 'contains characters that a header cannot have, such as "…" or a line break');
  if (credentials.type === 'BASIC_AUTH') return { method, credentials: withProps(method, credentials) };
  if (credentials.type !== 'CUSTOM_AUTH') return { method, credentials };
  return { method, credentials: { ...credentials, props: parseProps(method.props, credentials.props) } };
}

/** A method declared OAUTH2 also accepts PLATFORM_OAUTH2. */
function chooseAuthMethod({ name, auth }: Pick<CatalogIntegration, 'name' | 'auth'>, type: ConnectionType, key: string | undefined) {
  const methods = auth ?? [];
  if (methods.length === 0) throw refuse('integrationName', `${name} needs no account, so it takes no connections`);
  const named = key === undefined ? methods : methods.filter((method) => method.key === key);
  if (named.length === 0) throw refuse('authMethodKey', `is not an auth method of ${name}; its methods are ${keysOf(methods)}`);
  const [method, another] = named.filter((candidate) => takes(candidate, type));
  if (!method)
    throw refuse('type', `${name} accepts no ${type} here, only ${[...new Set(named.map((candidate) => candidate.type))].join(', ')}`);
  if (another) throw refuse('authMethodKey', `is required, because ${name} has several methods of this type: ${keysOf(methods, type)}`);
  return method;
}

function takes(method: AuthMethod, type: ConnectionType): boolean {
  return method.type === type || (method.type === 'OAUTH2' && type === 'PLATFORM_OAUTH2');
}

function keysOf(methods: readonly AuthMethod[], type?: ConnectionType): string {
  return methods
    .filter((method) => type === undefined || takes(method, type))
    .map(({ key }) => key)
    .join(', ');
}

function withProps({ props: schema }: AuthMethod, { props, ...login }: Extract<Credentials, { type: 'BASIC_AUTH' }>): Credentials {
  if (schema) return { ...login, props: parseProps(schema, props ?? {}) };
  if (props !== undefined) throw refuse('props', 'this way to connect takes only a user name and a password');
  return login;
}

/**
 * The props of a method as its schema parses them. Throws VALIDATION_ERROR; no issue quotes a prop.
 */
export function parseProps(schema: AuthMethod['props'], props: unknown): Record<string, unknown> {
  if (!schema) return props as Record<string, unknown>;
  const parsed = parseInput({ input: schema }, props);
  if (parsed.ok) return parsed.input;
  throw validationError(parsed.issues.map(({ path, message }): Issue => ({ path: path ? `props.${path}` : 'props', message })));
}

function refuse(path: string, message: string) {
  return validationError([{ path, message }]);
}

import { isObject, type Path } from '../schema/evaluation.ts';
import type { AuthDocument, AuthenticateDocument, ProviderDocument } from './document.ts';
import type { DocumentProblem } from './document-problem.ts';

/** Whether requests carry exactly one secret: a token or a key. */
export function takesOneSecret(how: AuthenticateDocument): boolean {
  return how === 'bearer' || (typeof how === 'object' && ('header' in how || 'query' in how));
}

/** The names of the props that are secrets. */
export function secretProps({ props }: Pick<AuthDocument, 'props'>): string[] {
  return propsOf(props).flatMap(([name, schema]) => (isObject(schema) && schema.public === true ? [] : [name]));
}

/** Finds auth methods whose accounts lack the values that `authenticate` puts into requests. */
export function checkCredentials({ auth, authenticate }: Pick<ProviderDocument, 'auth' | 'authenticate'>): DocumentProblem[] {
  return (auth ?? []).flatMap((method, index): DocumentProblem[] => {
    const how = method.authenticate ?? authenticate;
    const lack = how && lackOf(how, method);
    const path: Path = method.authenticate === undefined ? ['authenticate'] : ['auth', index, 'authenticate'];
    return lack === undefined ? [] : [{ path, message: `the method "${method.key}" ${lack}` }];
  });
}

function lackOf(how: AuthenticateDocument, method: AuthDocument): string | undefined {
  if (takesOneSecret(how)) {
    if (method.type === 'BASIC_AUTH') return 'has a user name and a password instead of a token: expects "basic"';
    return method.type === 'CUSTOM_AUTH' && secretProps(method).length > 1
      ? 'has several props that are secrets: name each by {account.…} in "headers" or "parameters"'
      : undefined;
  }
  if (how !== 'basic' || method.type === 'BASIC_AUTH') return undefined;
  const names = propsOf(method.props).map(([name]) => name);
  return method.type === 'CUSTOM_AUTH' && names.includes('username') && names.includes('password')
    ? undefined
    : 'has no username and password';
}

function propsOf(props: AuthDocument['props']): [string, unknown][] {
  return isObject(props?.properties) ? Object.entries(props.properties) : [];
}

import type { JsonSchema } from '../../schema/value-schema.ts';
import type { MethodOfScheme, SchemeUse } from './auth-scheme.ts';
import { wordsOf } from './names.ts';

/**
 * Makes one auth method for all schemes of a requirement. The account has a prop for each secret.
 */
export function togetherMethod(uses: readonly SchemeUse[]): MethodOfScheme {
  const properties: Record<string, JsonSchema> = {};
  const headers: Record<string, string> = {};
  const parameters: Record<string, string> = {};
  const cookies: string[] = [];
  const filled: string[] = [];
  const prop = (name: string, schema: JsonSchema): string => {
    let free = name;
    for (let number = 2; Object.hasOwn(properties, free); number += 1) free = `${name}${number}`;
    properties[free] = schema;
    return `{account.${free}}`;
  };
  let basic: { username: string; password: string } | undefined;

  for (const { name, how, displayName } of uses) {
    const secret: JsonSchema = { type: 'string', title: displayName };
    if (how.kind === 'basic') {
      basic = {
        username: prop('username', { type: 'string', title: 'User name', public: true }),
        password: prop('password', { type: 'string', title: 'Password' }),
      };
    } else if (how.kind !== 'apiKey') {
      headers.authorization = `Bearer ${prop(camelCase(name), secret)}`;
    } else {
      const value = prop(camelCase(name), secret);
      if (how.in === 'query') parameters[how.name] = value;
      else if (how.in === 'header') headers[how.name.toLowerCase()] = value;
      else cookies.push(`${how.name}=${value}`);
      filled.push(`${how.in}:${how.in === 'header' ? how.name.toLowerCase() : how.name}`);
    }
  }
  if (cookies.length > 0) headers.cookie = cookies.sort().join('; ');
  return {
    method: {
      type: 'CUSTOM_AUTH',
      displayName: uses
        .map(({ displayName }) => displayName)
        .sort()
        .join(' and ')
        .slice(0, 100),
      description: '',
      props: { type: 'object', properties, required: Object.keys(properties) },
      authenticate: { ...(basic && { basic }), headers, parameters },
    },
    filled,
  };
}

function camelCase(name: string): string {
  const [first = 'secret', ...others] = wordsOf(name.slice(0, 60));
  return first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

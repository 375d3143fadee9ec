import { type HideSecrets, hiderOf } from '../domain/redaction/hide-secrets.ts';
import type { AuthMethod, AuthValue } from './definition.ts';
import { basicToken } from './provider-auth.ts';
import { isPublicField } from './schema/value-schema.ts';

/** Removes the credentials of an account from a text, because third parties may echo them. */
export type Scrub = HideSecrets;

/**
 * Returns a function that removes the secrets of an account. `more`: secrets that authentication
 * added.
 */
export function scrubberOf(auth: AuthValue, methods: readonly AuthMethod[], more: readonly string[] = []): Scrub {
  return hiderOf([...secretsOf(auth, methods), ...more]);
}

/** Parses JSON and removes secrets from its texts, also escaped ones. */
export function parseScrubbed(text: string, scrub: Scrub): unknown {
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? scrub(value) : value));
}

function secretsOf(auth: AuthValue, methods: readonly AuthMethod[]): string[] {
  switch (auth.type) {
    case 'SECRET_TEXT':
      return [auth.secretText];
    case 'BASIC_AUTH':
      return [auth.password, basicToken(auth), ...secretProps(auth.props ?? {}, methods)];
    case 'CUSTOM_AUTH':
      return secretProps(auth.props, methods);
    default:
      return [auth.accessToken, ...namedSecrets(auth.data)];
  }
}

function secretProps(props: Readonly<Record<string, unknown>>, methods: readonly AuthMethod[]): string[] {
  return Object.entries(props).flatMap(([name, value]) => (isPublic(methods, name) ? [] : textsIn(value)));
}

function isPublic(methods: readonly AuthMethod[], name: string): boolean {
  return methods.some(({ props }) => props !== undefined && isPublicField(props, name));
}

const SECRET_NAME = /token|secret|password|key|url/i;

function namedSecrets(data: object): string[] {
  return Object.entries(data).flatMap(([name, value]) =>
    isObject(value) ? namedSecrets(value) : SECRET_NAME.test(name) ? textsIn(value) : [],
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

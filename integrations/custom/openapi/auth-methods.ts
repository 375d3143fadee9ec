import type { AuthDocument } from '../../declarative/document.ts';
import { isObject } from '../../schema/evaluation.ts';
import { methodFor, type SchemeUse, schemeOf } from './auth-scheme.ts';
import { togetherMethod } from './auth-together.ts';
import { LeftOutError } from './left-out.ts';
import { toSnakeCase } from './names.ts';
import { followObject } from './references.ts';

/** An auth method that satisfies a security requirement. */
export interface OfferedMethod {
  key: string;
  filled: readonly string[];
  scopes: readonly string[];
}

type Alternative = { methods: OfferedMethod[] } | { problem: string };

const MAX_METHODS = 10;

/** Collects the auth methods that satisfy the security requirements of the imported operations. */
export class AuthMethods {
  readonly #document: Record<string, unknown>;
  readonly #schemes: Record<string, unknown>;
  readonly #base: string | undefined;
  readonly #methods = new Map<string, AuthDocument>();
  readonly #scopes = new Map<string, Set<string>>();

  /** `base`: the URL to which addresses of authorization servers can be relative. */
  constructor(document: Record<string, unknown>, base: string | undefined) {
    const { components, securityDefinitions } = document;
    const schemes = isObject(components) ? components.securitySchemes : securityDefinitions;
    this.#document = document;
    this.#schemes = isObject(schemes) ? schemes : {};
    this.#base = base;
  }

  /** The declared security schemes, at most MAX_METHODS. */
  get names(): string[] {
    return Object.keys(this.#schemes).slice(0, MAX_METHODS);
  }

  /**
   * Returns the methods that satisfy all schemes of a requirement, or the problem with one scheme.
   */
  methodsOf(requirement: Record<string, unknown>): Alternative {
    const names = Object.keys(requirement).slice(0, 10);
    const uses: SchemeUse[] = [];
    for (const name of names) {
      const use = this.#schemeOf(name, requirement[name]);
      if ('problem' in use) return use;
      uses.push(use);
    }
    const [only, another] = uses;
    if (!only) return { problem: 'It requires nothing.' };
    if (!another) return { methods: methodFor(only).map(({ method, filled }) => this.#offer(method, only.name, filled, only.scopes)) };
    const { method, filled } = togetherMethod(uses);
    return { methods: [this.#offer(method, names.sort().join(' '), filled, [])] };
  }

  /** Marks a method as needed by an imported operation. */
  use(key: string, scopes: readonly string[]): void {
    const all = this.#scopes.get(key) ?? new Set();
    for (const scope of scopes) all.add(scope);
    this.#scopes.set(key, all);
  }

  /** Null if imported operations need no method. */
  get used(): AuthDocument[] | null {
    const used = [...this.#methods.values()].filter(({ key }) => this.#scopes.has(key)).slice(0, MAX_METHODS);
    return used.length === 0 ? null : used.map((method) => withScopes(method, [...this.#scopes.get(method.key)!]));
  }

  #schemeOf(name: string, scopes: unknown): SchemeUse | { problem: string } {
    if (!Object.hasOwn(this.#schemes, name))
      return { problem: `The document declares no security scheme ${JSON.stringify(name.slice(0, 100))}.` };
    try {
      return schemeOf(name, followObject(this.#document, this.#schemes[name]), scopes, this.#base);
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error;
      return { problem: error.message };
    }
  }

  #offer(method: Omit<AuthDocument, 'key'>, name: string, filled: readonly string[], scopes: readonly string[]): OfferedMethod {
    const isClient = isObject(method.authenticate) && 'clientCredentials' in method.authenticate;
    const wanted = `${toSnakeCase(name.slice(0, 100)).replaceAll('_', '-').slice(0, 40) || 'account'}${isClient ? '-client' : ''}`;
    const identity = JSON.stringify(method);
    let key = wanted;
    for (let number = 2; this.#methods.has(key) && JSON.stringify(withoutKey(this.#methods.get(key)!)) !== identity; number += 1)
      key = `${wanted}-${number}`;
    if (!this.#methods.has(key)) this.#methods.set(key, { key, ...method });
    return { key, filled, scopes };
  }
}

function withoutKey({ key: _, ...method }: AuthDocument): Omit<AuthDocument, 'key'> {
  return method;
}

function withScopes(method: AuthDocument, scopes: readonly string[]): AuthDocument {
  const { oauth2, authenticate } = method;
  const clean = scopes.filter((scope) => /^[\x21-\x7e]{1,500}$/.test(scope)).slice(0, 200);
  if (oauth2) return { ...method, oauth2: { ...oauth2, scopes: clean } };
  if (!isObject(authenticate) || !('clientCredentials' in authenticate)) return method;
  return {
    ...method,
    authenticate: { clientCredentials: { ...authenticate.clientCredentials, ...(clean.length > 0 && { scopes: clean }) } },
  };
}

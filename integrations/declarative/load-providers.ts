import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Integration } from '../definition.ts';
import { isObject } from '../schema/evaluation.ts';
import type { ProviderDocument } from './document.ts';
import { parseDocumentText } from './document-text.ts';
import { readDocument } from './read-document.ts';
import { type ProviderCode, toIntegration } from './to-integration.ts';

/** A folder of providers: one YAML file per provider, and shared parts in `shared/`. */
export interface ProviderFolder {
  path: string;
  /** The code of providers, by name of the provider. */
  code: Readonly<Record<string, ProviderCode>>;
}

/** Loads the integrations of a folder. A file is read when its integration is first used. */
export function loadProviders({ path, code }: ProviderFolder): Integration[] {
  return providerNames(path).map((name) =>
    lazyIntegration(name, () =>
      toIntegration(name, withIncluded(path, readYaml(join(path, `${name}.yaml`))) as unknown as ProviderDocument, code[name]),
    ),
  );
}

/**
 * Checks the text of a document, and returns the integration that it describes. `folder` contains
 * `shared/`, with the files to include.
 */
export function readProvider(
  name: string,
  text: string,
  { folder, code }: { folder: string; code?: ProviderCode | undefined },
): Integration {
  const parsed = parseDocumentText(text);
  const includes = isObject(parsed) && parsed.include !== undefined;
  const codeActions = Object.keys(code?.actions ?? {});
  const document = readDocument(includes ? withIncluded(folder, parsed) : text, { codeActions });
  return toIntegration(name, document, code);
}

/** Reads a document and the files that it includes, without checking them. */
export function readProviderDocument(file: string): ProviderDocument {
  return withIncluded(dirname(file), readYaml(file)) as ProviderDocument;
}

/** The names of the providers of a folder, sorted. */
export function providerNames(path: string): string[] {
  return readdirSync(path)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

function withIncluded(folder: string, document: unknown): unknown {
  if (!isObject(document) || document.include === undefined) return document;
  const { include, ...own } = document;
  const bases = [include].flat().map((name) => {
    const file = join(folder, 'shared', `${String(name)}.yaml`);
    if (!/^[a-z][a-z0-9-]*$/.test(String(name)) || !existsSync(file))
      throw new TypeError(`there is no file to include named ${String(name)}`);
    return withIncluded(folder, readYaml(file));
  });
  return [...bases, own].reduce(merged, {});
}

function readYaml(file: string): unknown {
  return parseDocumentText(readFileSync(file, 'utf8'));
}

/**
 * Extends `base` with `own`. An item of a list such as `auth` extends the item of `base` that has
 * the same `key`.
 */
function merged(base: unknown, own: unknown): unknown {
  if (isObject(base) && isObject(own)) {
    const entries = Object.entries(own).map(([key, value]) => [key, Object.hasOwn(base, key) ? merged(base[key], value) : value]);
    return { ...base, ...Object.fromEntries(entries) };
  }
  if (!hasKeys(base) || !hasKeys(own)) return own;
  const ofBase = new Map(base.map((item) => [item.key, item]));
  return own.map((item) => merged(ofBase.get(item.key) ?? {}, item));
}

function hasKeys(value: unknown): value is { key: string }[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && typeof item.key === 'string');
}

const LAZY = ['displayName', 'description', 'logoUrl', 'categories', 'auth', 'actions', 'verification'] as const;

function lazyIntegration(name: string, make: () => Integration): Integration {
  let made: Integration | undefined;
  const get = () => {
    made ??= make();
    return made;
  };
  const properties = LAZY.map((key) => [key, { enumerable: true, get: () => get()[key] }]);
  return Object.defineProperties({ name }, Object.fromEntries(properties)) as Integration;
}

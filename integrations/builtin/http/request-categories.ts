import { percentDecoded, plainText } from '../../../domain/policies/normal-text.ts';
import type { ActionCategory } from '../../../domain/policies/policy.ts';
import { WorkBudget } from '../../../domain/policies/work-budget.ts';
import { graphqlCategory } from './graphql-category.ts';
import { bodyMayOverride, isOverrideHeader, isOverrideName } from './method-override.ts';

/** The parts of a request that determine its effect. */
export interface CategorizedRequest {
  method: string;
  /** Absolute, with its query. */
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  /** A text, or a value that is sent as JSON or as a form. */
  body?: unknown;
}

const CATEGORIES: Partial<Record<string, ActionCategory>> = { GET: 'read', HEAD: 'read', DELETE: 'delete' };

/**
 * Returns all categories that a request may have at the third party, gravest first. An uncertain
 * case adds every possible category.
 */
export function requestCategories(
  { method, url, headers = {}, body }: CategorizedRequest,
  work = new WorkBudget(REQUEST_WORK),
): ActionCategory[] {
  const address = URL.parse(url);
  const parameters = parametersOf(address, work);
  if (!parameters) return [...GRAVEST_FIRST];
  const possible = new Set<ActionCategory>([CATEGORIES[method] ?? 'write']);
  const overrides = [
    ...Object.entries(headers).flatMap(([name, value]) => (isOverrideHeader(name) ? value.split(/[,;]/) : [])),
    ...parameters.flatMap(({ isOverride, value }) => (isOverride ? [value] : [])),
    ...(bodyMayOverride(body, work) ? ['?'] : []),
  ];
  for (const override of overrides) for (const category of categoriesOfMethod(override)) possible.add(category);
  if (body !== undefined && possible.has('read')) possible.add('write');
  if (possible.has('read') && mayMutate(parameters, isGraphql(address))) possible.add('write');
  return GRAVEST_FIRST.filter((category) => possible.has(category));
}

/** Work budget in nanoseconds, for one request or for all addresses that one call fetches. */
const REQUEST_WORK = 6_000_000;

/**
 * Returns the possible categories of a GraphQL operation that is sent by POST. The address may
 * contain another operation.
 */
export function graphqlCategories({
  url,
  query,
  headers,
}: {
  url: string;
  query: string;
  headers?: Readonly<Record<string, string>> | undefined;
}): ActionCategory[] {
  const overridden = requestCategories({ method: 'POST', url, headers }).filter((category) => category === 'delete');
  const parameters = parametersOf(URL.parse(url), new WorkBudget(REQUEST_WORK));
  const isRead = graphqlCategory(query) === 'read' && parameters !== undefined && !mayMutate(parameters, true);
  return [...overridden, isRead ? 'read' : 'write'];
}

const GRAVEST_FIRST: readonly ActionCategory[] = ['delete', 'write', 'read'];

function categoriesOfMethod(text: string): ActionCategory[] {
  const method = plainText(text)
    .replace(/[^a-z?]/gi, '')
    .toUpperCase();
  if (method === '') return [];
  const category = CATEGORIES[method] ?? (WRITING.has(method) ? 'write' : undefined);
  return category ? [category] : ['delete', 'write'];
}

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'OPTIONS']);

interface Parameter {
  /** In lower case, without spaces, up to the first opening bracket. */
  name: string;
  isOverride: boolean;
  value: string;
}

const MAX_PARAMETERS = 1000;
/** Estimated work in nanoseconds. An escape is a `%` in the query. */
const PER_PARAMETER = 1500;
const PER_CHARACTER = 30;
const PER_ESCAPE = 600;

/**
 * Splits at `&`, and also at semicolons, because servers differ. Undefined if the query is too
 * large.
 */
function parametersOf(url: URL | null, work: WorkBudget): Parameter[] | undefined {
  const raw = (url?.search ?? '').slice(1);
  if (raw === '') return [];
  if (!work.spend(raw.length * PER_CHARACTER)) return undefined;
  const query = plainText(raw.replaceAll('+', ' '));
  const parts = query.split(/[&;]/, MAX_PARAMETERS + 1);
  if (parts.length > MAX_PARAMETERS) return undefined;
  const pairs = new Set([...query.split('&'), ...parts]);
  if (!work.spend(pairs.size * PER_PARAMETER + (query.split('%').length - 1) * PER_ESCAPE)) return undefined;
  return [...pairs].flatMap((pair) => {
    const split = pair.indexOf('=');
    const name = last(split === -1 ? pair : pair.slice(0, split));
    const value = last(split === -1 ? '' : pair.slice(split + 1));
    if (name === '') return [];
    return [{ name: name.toLowerCase().replace(/\[.*$|\s/gs, ''), isOverride: isOverrideName(name), value }];
  });
}

function last(text: string): string {
  return plainText(percentDecoded(text).at(-1) ?? text);
}

/**
 * Whether the URL may contain a GraphQL mutation. An operation that cannot be parsed counts as a
 * mutation.
 */
function mayMutate(parameters: readonly Parameter[], isForGraphql: boolean): boolean {
  if (parameters.some(holdsMutation)) return true;
  const names = new Set(parameters.map(({ name }) => name));
  if (!isForGraphql && !names.has('variables')) return false;
  // A stored operation is sent as an id or a hash, in a parameter whose name the server chooses.
  return names.size > 0 && !(names.has('query') && [...names].every((name) => READABLE.has(name)));
}

function isGraphql(url: URL | null): boolean {
  return GRAPHQL_PATH.test(url?.pathname ?? '');
}

const GRAPHQL_PATH = /graphi?ql|gql/i;
const READABLE = new Set(['query', 'variables', 'operationname']);

function holdsMutation({ name, value }: Parameter): boolean {
  if (name === 'mutation' || name === 'subscription') return true;
  if (!value.includes('{')) return false;
  if (name === 'query') return graphqlCategory(value) !== 'read';
  // Other parameters may contain a list of operations, or the hash of a stored operation.
  return name === 'extensions' || /(?:mutation|subscription)\b/i.test(value);
}

/** Returns the possible categories of fetching addresses by GET, gravest first. */
export function fetchCategories(urls: readonly string[]): ActionCategory[] {
  const work = new WorkBudget(REQUEST_WORK);
  const possible = new Set(urls.flatMap((url) => requestCategories({ method: 'GET', url }, work)));
  return GRAVEST_FIRST.filter((category) => possible.has(category));
}

/** Makes `categoryOf` and `otherCategoriesOf` of an action. Cached per input object. */
export function categorizes<Input extends object>(categoriesOf: (input: Input) => ActionCategory[]) {
  const known = new WeakMap<Input, ActionCategory[]>();
  const once = (input: Input) => {
    const categories = known.get(input) ?? categoriesOf(input);
    known.set(input, categories);
    return categories;
  };
  return { categoryOf: (input: Input) => once(input)[0]!, otherCategoriesOf: (input: Input) => once(input).slice(1) };
}

import { join } from 'node:path';
import { GatewayError } from '../domain/errors.ts';
import { advancedCode } from './builtin/advanced-code.ts';
import { agentMemory } from './builtin/agent-memory.ts';
import { agentScratchpad } from './builtin/agent-scratchpad.ts';
import { code } from './builtin/code.ts';
import { dataTransformer } from './builtin/data-transformer.ts';
import { datetime } from './builtin/datetime.ts';
import { graphql } from './builtin/graphql.ts';
import { hashEncode } from './builtin/hash-encode.ts';
import { http } from './builtin/http.ts';
import { kvStore } from './builtin/kv-store.ts';
import { sequentialThinking } from './builtin/sequential-thinking.ts';
import { storage } from './builtin/storage.ts';
import { webReader } from './builtin/web-reader.ts';
import { loadProviders } from './declarative/load-providers.ts';
import type { Action, Integration, Verification } from './definition.ts';
import { PROVIDER_CODE } from './providers/code/index.ts';
import type { JsonSchema } from './schema/value-schema.ts';

export type { JsonSchema } from './schema/value-schema.ts';

/** A test calls each action of the built-in integrations in a running gateway. */
const OF_BUILT_INS: Verification = {
  testedAgainst: 'live',
  lastVerified: '2026-11-24',
  sources: ['test/api/actions/built-in-actions.test.ts'],
};

const BUILT_INS: readonly Integration[] = [
  advancedCode,
  agentMemory,
  agentScratchpad,
  code,
  dataTransformer,
  datetime,
  graphql,
  hashEncode,
  http,
  kvStore,
  sequentialThinking,
  storage,
  webReader,
];

/** The service's own integrations. */
export const INTEGRATIONS: readonly Integration[] = [
  ...BUILT_INS.map((one) => ({ ...one, verification: OF_BUILT_INS })),
  ...loadProviders({ path: join(import.meta.dirname, 'providers'), code: PROVIDER_CODE }),
];

/** An action in the catalogue, with its name. */
export interface CatalogAction extends Action {
  name: string;
  integrationName: string;
  auth: Integration['auth'];
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
}

export interface CatalogIntegration extends Omit<Integration, 'actions'> {
  actions: ReadonlyMap<string, CatalogAction>;
}

export interface Catalog {
  /** The service's own integrations, sorted by name, then custom integrations. */
  list(): readonly CatalogIntegration[];
  find(name: string): CatalogIntegration | undefined;
  /** Throws INTEGRATION_NOT_FOUND. */
  get(name: string): CatalogIntegration;
  /** Throws INTEGRATION_NOT_FOUND or ACTION_NOT_FOUND. */
  getAction(integrationName: string, actionName: string): CatalogAction;
}

/** Builds a catalogue. Default: the service's own integrations. */
export function openCatalog(integrations: readonly Integration[] = INTEGRATIONS): Catalog {
  const byName = new Map(integrations.map(toEntry).map((entry) => [entry.name, entry]));
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return catalogOf((name) => byName.get(name), sorted);
}

/**
 * Returns a catalogue in which integrations of `more` come last, and replace integrations of the
 * same name.
 */
export function extendCatalog(base: Catalog, more: readonly CatalogIntegration[]): Catalog {
  if (more.length === 0) return base;
  const byName = new Map(more.map((entry) => [entry.name, entry]));
  const others = base.list().filter(({ name }) => !byName.has(name));
  return catalogOf((name) => byName.get(name) ?? base.find(name), [...others, ...more]);
}

function catalogOf(find: Catalog['find'], list: readonly CatalogIntegration[]): Catalog {
  const get = (name: string) => {
    const entry = find(name);
    if (!entry) throw noSuchIntegration(name);
    return entry;
  };
  return {
    list: () => list,
    find,
    get,
    getAction: (integrationName, actionName) => actionOf(get(integrationName), actionName),
  };
}

export function noSuchIntegration(name: string): GatewayError {
  return new GatewayError('INTEGRATION_NOT_FOUND', `There is no integration named ${quote(name)}.`);
}

const MAX_NAMED = 100;

/** Returns an action. Throws ACTION_NOT_FOUND with the names of the first hundred actions. */
export function actionOf({ name, actions }: CatalogIntegration, actionName: string): CatalogAction {
  const found = actions.get(actionName);
  if (found) return found;
  const known = [...actions.keys()].slice(0, MAX_NAMED).join(', ');
  throw new GatewayError('ACTION_NOT_FOUND', `${name} has no action named ${quote(actionName)}. Its actions are ${known}.`);
}

function toEntry(integration: Integration): CatalogIntegration {
  let actions: CatalogIntegration['actions'] | undefined;
  const own = {
    get actions() {
      actions ??= new Map(Object.entries(integration.actions).map(([name, action]) => [name, toCatalogAction(integration, name, action)]));
      return actions;
    },
  };
  return withProperties(integration, own);
}

/** Returns an action with the fields that the catalogue adds. */
export function toCatalogAction(integration: Pick<Integration, 'name' | 'auth'>, name: string, action: Action): CatalogAction {
  const own = {
    name,
    integrationName: integration.name,
    get auth() {
      return integration.auth;
    },
    get inputSchema() {
      return action.input.json;
    },
    get outputSchema() {
      return action.output.json;
    },
  };
  return withProperties(action, own);
}

/** Getters stay getters, so that they are evaluated on use. */
function withProperties<Base extends object, Own extends object>(base: Base, own: Own): Omit<Base, keyof Own> & Own {
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(own) }) as Omit<
    Base,
    keyof Own
  > &
    Own;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

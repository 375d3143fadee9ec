import { LRUCache } from 'lru-cache';
import type { CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { lazy } from '../../domain/lazy.ts';
import type { Db } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import {
  actionOf,
  type Catalog,
  type CatalogAction,
  type CatalogIntegration,
  extendCatalog,
  noSuchIntegration,
} from '../../integrations/catalog.ts';
import type { IntegrationHead, PackedAction } from '../../integrations/custom/pack-integration.ts';
import { toOwnEntry } from '../../integrations/custom/to-custom-integration.ts';
import { listCustomActions, listCustomDefinitions } from '../../store/custom-actions.ts';
import { listPendingKeys } from '../../store/custom-changes.ts';
import { findCustomIntegration, findCustomRevision, holdCustomIntegration } from '../../store/custom-integrations.ts';
import { type HiddenName, listOwnNames, takeServiceNames } from '../../store/service-names.ts';

/**
 * The built-in and custom integrations that an organization can use. A custom integration hides a
 * built-in one that was added later under the same name. `db`: the transaction of the caller.
 */
export interface OrgCatalog {
  readonly builtIn: Catalog;
  /** Names of built-in integrations that custom integrations of the organization hide. */
  hiddenFor(orgId: string): Promise<ReadonlySet<string>>;
  find(orgId: string, name: string, db?: Db): Promise<CatalogIntegration | undefined>;
  /** Throws INTEGRATION_NOT_FOUND. */
  get(orgId: string, name: string, db?: Db): Promise<CatalogIntegration>;
  /** Throws INTEGRATION_NOT_FOUND or ACTION_NOT_FOUND. */
  getAction(orgId: string, integrationName: string, actionName: string): Promise<CatalogAction>;
  /**
   * Locks a custom integration against deletion until the transaction ends. Throws
   * INTEGRATION_NOT_FOUND if it is gone. Does nothing for a built-in integration.
   */
  hold(orgId: string, name: string, tx: Db): Promise<void>;
  /**
   * The built-in integrations, the custom integrations with these names, and all custom
   * integrations that hide a built-in one. Leaves out unknown names.
   */
  of(orgId: string, names: Iterable<string>, db?: Db): Promise<Catalog>;
}

/**
 * Maximum number of characters of JSON in the cache. The cached integrations take several times as
 * much memory.
 */
const MAX_LENGTH = 64 * 1024 * 1024;
const OWN_NAME = /^[a-z][a-z0-9-]{1,62}$/;

interface Entry {
  revision: string;
  integration: Promise<Loaded | undefined>;
}

interface Loaded {
  entry: CatalogIntegration;
  length: number;
}

const NONE: ReadonlySet<string> = new Set();

function namesOf(found: readonly { name: string }[]): ReadonlySet<string> {
  return new Set(found.map(({ name }) => name));
}

/**
 * Opens the catalogue of one process. If custom integrations hide built-in ones, calls `onHidden`
 * once with the hidden names.
 */
export function openOrgCatalog(ownDb: Db, builtIn: Catalog, onHidden: (hidden: readonly HiddenName[]) => void = () => {}): OrgCatalog {
  const cache = new LRUCache<string, Entry>({ maxSize: MAX_LENGTH });
  const builtInNames = builtIn.list().map(({ name }) => name);

  const findOwn = async (orgId: string, name: string, db: Db): Promise<CatalogIntegration | undefined> => {
    if (!OWN_NAME.test(name)) return undefined;
    const current = await findCustomRevision(db, orgId, name);
    if (!current) return undefined;
    const known = cache.get(current.id);
    const { integration } = known?.revision === current.revision ? known : startLoading(orgId, name, current, db);
    const loaded = await integration;
    // If the integration was changed or deleted during loading, look again.
    return loaded ? loaded.entry : findOwn(orgId, name, db);
  };

  const startLoading = (orgId: string, name: string, { id, revision }: { id: string; revision: string }, db: Db): Entry => {
    const entry: Entry = { revision, integration: load(db, orgId, name, revision) };
    cache.set(id, entry, { size: 1 });
    const isCurrent = () => cache.peek(id) === entry;
    entry.integration.then(
      (loaded) => {
        if (!isCurrent()) return;
        if (loaded) cache.set(id, { ...entry }, { size: loaded.length });
        else cache.delete(id);
      },
      () => isCurrent() && cache.delete(id),
    );
    return entry;
  };

  // Built-in names are reserved for all later imports, so no further built-in integration becomes
  // hidden. A hidden one becomes visible when the custom integration is deleted.
  const hidden = lazy(async () => {
    const found = await takeServiceNames(ownDb, builtInNames);
    if (found.length > 0) onHidden(found);
    return new Map(Object.entries(Object.groupBy(found, ({ orgId }) => orgId)).map(([orgId, own]) => [orgId, namesOf(own!)]));
  });
  const maybeHidden = async (orgId: string) => (await hidden()).get(orgId) ?? NONE;
  const find: OrgCatalog['find'] = async (orgId, name, db = ownDb) => {
    const ofService = builtIn.find(name);
    if (ofService && !(await maybeHidden(orgId)).has(name)) return ofService;
    return (await findOwn(orgId, name, db)) ?? ofService;
  };
  const get: OrgCatalog['get'] = async (orgId, name, db) => {
    const found = await find(orgId, name, db);
    if (!found) throw noSuchIntegration(name);
    return found;
  };
  return {
    builtIn,
    async hiddenFor(orgId) {
      const names = [...(await maybeHidden(orgId))];
      return names.length === 0 ? NONE : namesOf(await listOwnNames(ownDb, orgId, names));
    },
    find,
    get,
    getAction: async (orgId, integrationName, actionName) => actionOf(await get(orgId, integrationName), actionName),
    async hold(orgId, name, tx) {
      const isOfService = builtIn.find(name) !== undefined;
      if (isOfService && !(await maybeHidden(orgId)).has(name)) return;
      if (!(await holdCustomIntegration(tx, orgId, name)) && !isOfService) throw noSuchIntegration(name);
    },
    async of(orgId, names, db = ownDb) {
      const hiding = await maybeHidden(orgId);
      const own = [...new Set([...names, ...hiding])].filter((name) => hiding.has(name) || !builtIn.find(name));
      const found: CatalogIntegration[] = [];
      for (const name of own) {
        const entry = await findOwn(orgId, name, db);
        if (entry) found.push(entry);
      }
      return extendCatalog(builtIn, found);
    },
  };
}

/** Undefined if the integration was changed or deleted in the meantime. */
async function load(db: Db, orgId: string, name: string, revision: string): Promise<Loaded | undefined> {
  const record = await findCustomIntegration(db, orgId, name);
  if (record?.revision !== revision) return undefined;
  const loaded = await loadParts(db, record);
  return (await findCustomRevision(db, orgId, name))?.revision === revision ? loaded : undefined;
}

async function loadParts(db: Db, record: CustomIntegration): Promise<Loaded> {
  const { id, name, overrides, onChange } = record;
  const head = record.head as unknown as IntegrationHead;
  const actions = (await listCustomActions(db, id)) as PackedAction[];
  const definitions = await listCustomDefinitions(db, id);
  const changes = await listPendingKeys(db, id);
  const pending = new Map(
    changes.flatMap(({ kind, actionName }): [string, 'changed' | 'removed'][] => {
      if (actionName === null || kind === 'action_added') return [];
      return [[actionName, kind === 'action_removed' ? 'removed' : 'changed']];
    }),
  );
  const stored = { id, name, head, overrides, blocksOnChange: onChange === 'block', actions, definitions, pending };
  let length = 1000;
  for (const text of definitions.values()) length += text.length;
  for (const { text, uses } of actions) {
    length += text.length + JSON.stringify(uses).length;
    await breathe();
  }
  return { entry: await toOwnEntry(stored), length };
}

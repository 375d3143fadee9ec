import type { ActionOverrides, Overrides } from '../../domain/custom-integrations/custom-integration.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { type CatalogAction, type CatalogIntegration, toCatalogAction } from '../catalog.ts';
import { markOf } from '../declarative/logo.ts';
import { toAction } from '../declarative/to-action.ts';
import { toAuthMethod, toUpstream } from '../declarative/to-integration.ts';
import type { Action, Integration, OwnAction } from '../definition.ts';
import type { Upstream } from '../provider-call.ts';
import type { JsonSchema } from '../schema/value-schema.ts';
import type { UsedDefinitions } from './definitions.ts';
import type { ImportedAction } from './imported-integration.ts';
import { toToolAction } from './mcp/tool-action.ts';
import type { IntegrationHead, PackedAction } from './pack-integration.ts';
import { hashOf } from './unordered.ts';

/** A custom integration as it is stored. */
export interface StoredIntegration {
  id: string;
  name: string;
  head: IntegrationHead;
  overrides: Overrides;
  blocksOnChange: boolean;
  actions: readonly PackedAction[];
  /** Shared schemas as JSON text, by hash. */
  definitions: ReadonlyMap<string, string>;
  /** Changes that wait for a decision, by action name. */
  pending: ReadonlyMap<string, 'changed' | 'removed'>;
}

/**
 * Makes a catalogue entry from a stored integration. Yields to the event loop, because there may be
 * 2,000 actions.
 */
export async function toOwnEntry(stored: StoredIntegration): Promise<CatalogIntegration> {
  const { making, integration } = begin(stored);
  const actions = new Map<string, CatalogAction>();
  for (const action of stored.actions) {
    actions.set(action.name, toCatalogAction(integration, action.name, toOwnAction(making, action)));
    await breathe();
  }
  return { ...integration, actions };
}

/** Like `toOwnEntry`, but without the actions. */
export function toOwnIdentity(stored: Omit<StoredIntegration, 'actions'>): CatalogIntegration {
  return { ...begin({ ...stored, actions: [] }).integration, actions: new Map() };
}

function begin(stored: StoredIntegration): { making: Making; integration: Omit<Integration, 'actions'> } {
  const { id, name, head, overrides } = stored;
  const auth = head.auth?.map((method) => toAuthMethod(method, { authenticate: head.authenticate })) ?? null;
  const making: Making = { stored, upstream: toUpstream(head, auth ?? []), callHash: callHashOf(head), definitions: parsedOnce(stored) };
  const displayName = overrides.displayName ?? head.displayName;
  const integration = {
    ...{ name, displayName, auth, customId: id },
    description: overrides.description ?? head.description,
    categories: (overrides.categories as Integration['categories']) ?? head.categories,
    logoUrl: overrides.logoUrl ?? head.logoUrl ?? markOf(name, displayName),
  };
  return { making, integration };
}

interface Making {
  stored: StoredIntegration;
  upstream: Upstream;
  callHash: string;
  definitions(hash: string): JsonSchema;
}

function callHashOf({ baseUrl, auth, authenticate, headers, accountDefaults }: IntegrationHead): string {
  const methods = auth?.map(({ displayName: _, description: __, ...method }) => method) ?? null;
  return hashOf({ baseUrl, auth: methods, authenticate, headers, accountDefaults });
}

function parsedOnce({ definitions }: StoredIntegration): Making['definitions'] {
  const parsed = new Map<string, JsonSchema>();
  return (hash) => {
    const known = parsed.get(hash) ?? (JSON.parse(definitions.get(hash) ?? 'true') as JsonSchema);
    parsed.set(hash, known);
    return known;
  };
}

type Known = 'displayName' | 'description' | 'category' | 'categoryOf' | 'own' | 'run';

const LAZY: Record<Exclude<keyof Action, Known>, true> = {
  idempotent: true,
  account: true,
  input: true,
  output: true,
  dynamic: true,
  completeInput: true,
  otherCategoriesOf: true,
  recipients: true,
  paths: true,
  deadlineSeconds: true,
};

function toOwnAction(making: Making, packed: PackedAction): Action {
  const { stored, callHash } = making;
  const said: ActionOverrides = Object.hasOwn(stored.overrides.actions ?? {}, packed.name) ? stored.overrides.actions![packed.name]! : {};
  const { displayName = packed.displayName, description = packed.description, category = packed.category } = said;
  const own: OwnAction = {
    ...{ source: packed.source, categoryFrom: said.category ? 'administrator' : packed.categoryFrom },
    isEnabled: said.enabled ?? true,
    pending: stored.pending.get(packed.name),
    blocksOnChange: stored.blocksOnChange,
    definitionHash: hashOf([packed.hash, callHash]),
  };
  let made: Action | undefined;
  const get = () => {
    made ??= makeAction(making, packed, category);
    return made;
  };
  const action = { displayName, description, category, categoryOf: () => category, own, run: (context: never) => get().run(context) };
  const lazy = (Object.keys(LAZY) as (keyof typeof LAZY)[]).map((key) => [key, { enumerable: true, get: () => get()[key] }]);
  return Object.defineProperties(action, Object.fromEntries(lazy)) as unknown as Action;
}

function makeAction({ stored, upstream, definitions }: Making, { text, uses }: PackedAction, category: Action['category']): Action {
  const parsed = JSON.parse(text) as ImportedAction;
  const action: ImportedAction = {
    ...parsed,
    category,
    input: withDefinitions(parsed.input ?? {}, uses.input, definitions),
    output: withDefinitions(parsed.output, uses.output, definitions),
  };
  return action.tool ? toToolAction(upstream, action) : toAction(upstream, { ...stored.head, actions: {} }, action);
}

/** A schema that was cut allows any value. */
function withDefinitions(schema: JsonSchema, uses: UsedDefinitions, definition: Making['definitions']): JsonSchema {
  const shared = Object.entries(uses).map(([name, hash]) => [name, hash === null ? {} : definition(hash)]);
  if (shared.length === 0) return schema;
  return { ...schema, $defs: { ...Object.fromEntries(shared), ...(schema.$defs as JsonSchema | undefined) } };
}

import { z } from 'zod';
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
import type { Action, Integration } from './definition.ts';
import { amazonS3 } from './providers/amazon-s3.ts';
import { clicksend } from './providers/clicksend.ts';
import { discord } from './providers/discord.ts';
import { github } from './providers/github.ts';
import { openai } from './providers/openai.ts';
import { slack } from './providers/slack.ts';

/** Every integration that the service offers. A new one is one line here. */
export const INTEGRATIONS: readonly Integration[] = [
  advancedCode,
  agentMemory,
  agentScratchpad,
  amazonS3,
  clicksend,
  code,
  dataTransformer,
  datetime,
  discord,
  github,
  graphql,
  hashEncode,
  http,
  kvStore,
  openai,
  sequentialThinking,
  slack,
  storage,
  webReader,
];

export type JsonSchema = Record<string, unknown>;

/** An action as the catalogue has it: named, and with the JSON Schemas of what callers send and get. */
export interface CatalogAction extends Action {
  name: string;
  integrationName: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
}

export interface CatalogIntegration extends Omit<Integration, 'actions'> {
  actions: ReadonlyMap<string, CatalogAction>;
}

export interface Catalog {
  /** By name. */
  list(): readonly CatalogIntegration[];
  find(name: string): CatalogIntegration | undefined;
  /** Throws INTEGRATION_NOT_FOUND. */
  get(name: string): CatalogIntegration;
  /** Throws INTEGRATION_NOT_FOUND or ACTION_NOT_FOUND. */
  getAction(integrationName: string, actionName: string): CatalogAction;
}

/** The catalogue of these integrations; their schemas are made here, once. */
export function openCatalog(integrations: readonly Integration[] = INTEGRATIONS): Catalog {
  const byName = new Map(integrations.map(toEntry).map((entry) => [entry.name, entry]));
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

  const get = (name: string) => {
    const entry = byName.get(name);
    if (!entry) throw new GatewayError('INTEGRATION_NOT_FOUND', `There is no integration named ${quote(name)}.`);
    return entry;
  };

  return {
    list: () => sorted,
    find: (name) => byName.get(name),
    get,
    getAction(integrationName, actionName) {
      const { actions } = get(integrationName);
      const found = actions.get(actionName);
      if (found) return found;
      const known = [...actions.keys()].join(', ');
      throw new GatewayError('ACTION_NOT_FOUND', `${integrationName} has no action named ${quote(actionName)}. Its actions are ${known}.`);
    },
  };
}

function toEntry(integration: Integration): CatalogIntegration {
  const actions = Object.entries(integration.actions).map(([name, action]): [string, CatalogAction] => [
    name,
    {
      ...action,
      name,
      integrationName: integration.name,
      inputSchema: z.toJSONSchema(action.input, { io: 'input' }),
      outputSchema: z.toJSONSchema(action.output, { io: 'output' }),
    },
  ]);
  return { ...integration, actions: new Map(actions) };
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

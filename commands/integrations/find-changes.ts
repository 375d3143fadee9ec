import type { ChangedField, ChangeKind, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { diffValues } from '../../domain/custom-integrations/diff-values.ts';
import { breathe } from '../../infra/event-loop.ts';
import { hashOf, type IntegrationHead, type PackedAction, type PackedIntegration } from '../../integrations/custom/pack-integration.ts';

/** A difference between the stored integration and the new import. */
export interface FoundChange {
  kind: ChangeKind;
  actionName: string | null;
  fields: readonly ChangedField[];
  /** The value after the change is accepted; null if the action was removed. */
  after: Record<string, unknown> | null;
  afterHash: string;
}

/** The stored integration. */
export interface StoredParts {
  record: Pick<CustomIntegration, 'head'>;
  actions: readonly PackedAction[];
  definitions: ReadonlyMap<string, string>;
}

/** All differences, in no particular order (import contract 5). */
export async function findChanges(stored: StoredParts, imported: PackedIntegration): Promise<FoundChange[]> {
  const before = new Map(stored.actions.map((action) => [action.name, action]));
  const after = new Map(imported.actions.map((action) => [action.name, action]));
  const texts = new Map([...stored.definitions, ...Object.entries(imported.definitions)]);
  const changes = changesOfHead(stored.record.head as unknown as IntegrationHead, imported.head);
  for (const action of imported.actions) {
    const old = before.get(action.name);
    if (old?.hash === action.hash) continue;
    const fields = diffValues(old ? described(old, action, texts) : null, described(action, old, texts));
    changes.push({
      ...{ kind: old ? 'action_changed' : 'action_added', actionName: action.name, fields: old ? fields : [], afterHash: action.hash },
      after: { ...action },
    });
    await breathe();
  }
  for (const { name } of stored.actions)
    if (!after.has(name)) changes.push({ kind: 'action_removed', actionName: name, fields: [], after: null, afterHash: '' });
  return changes;
}

/** The parts of a head that decide where calls go, and with which credentials. */
const PARTS = {
  auth_changed: ({ auth, authenticate }: IntegrationHead) => ({ auth, authenticate }),
  server_changed: ({ baseUrl, headers, errors, refusals, accountDefaults }: IntegrationHead) => ({
    ...{ baseUrl, headers, errors, refusals, accountDefaults },
  }),
};

function changesOfHead(before: IntegrationHead, after: IntegrationHead): FoundChange[] {
  return (['auth_changed', 'server_changed'] as const).flatMap((kind) => {
    const [old, now] = [PARTS[kind](before), PARTS[kind](after)];
    const afterHash = hashOf(now);
    return hashOf(old) === afterHash ? [] : [{ kind, actionName: null, fields: diffValues(old, now), after: now, afterHash }];
  });
}

/** An action as callers know it, with the shared schemas that differ from those of the other. */
function described({ text, uses }: PackedAction, other: PackedAction | undefined, texts: ReadonlyMap<string, string>) {
  const { name: _, input: inputSchema, output: outputSchema, ...rest } = JSON.parse(text);
  const otherHashes = { ...other?.uses.output, ...other?.uses.input };
  const differing = Object.entries({ ...uses.output, ...uses.input }).filter(([name, hash]) => otherHashes[name] !== hash);
  const $defs = Object.fromEntries(differing.map(([name, hash]) => [name, JSON.parse(texts.get(hash ?? '') ?? '{}')]));
  return { ...rest, inputSchema, outputSchema, ...(differing.length > 0 && { $defs }) };
}

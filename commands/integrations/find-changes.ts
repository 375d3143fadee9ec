import type { CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { type ChangeContent, type ChangeSide, differingDefinitions } from '../../integrations/custom/changes/change-content.ts';
import type { IntegrationHead, PackedAction, PackedIntegration } from '../../integrations/custom/pack-integration.ts';
import { hashOf, withSortedParts } from '../../integrations/custom/unordered.ts';
import type { Gateway } from '../gateway.ts';
import { compareContent } from './compare-content.ts';
import { HEAD_PARTS, partOf } from './head-parts.ts';

/** A difference between the stored integration and the new import. */
export interface FoundChange extends Pick<CustomChange, 'kind' | 'actionName' | 'fields' | 'fieldCount' | 'isComplete' | 'contentDigest'> {
  /** The new content after the change is accepted. Null if the action was removed. */
  after: Record<string, unknown> | null;
  afterHash: string;
}

/** `definitions`: the JSON of shared schemas, by hash. */
export interface StoredParts {
  record: Pick<CustomIntegration, 'orgId' | 'head'>;
  actions: readonly PackedAction[];
  definitions: ReadonlyMap<string, string>;
}

type Pair = Pick<FoundChange, 'after' | 'afterHash'> & { content: ChangeContent };

/**
 * All differences, in no particular order (import contract 5). Equal content with different hashes
 * is no difference, because another version of the service may have computed the stored hash.
 */
export async function findChanges(
  gateway: Pick<Gateway, 'schedulers'>,
  stored: StoredParts,
  imported: PackedIntegration,
): Promise<FoundChange[]> {
  const before = new Map(stored.actions.map((action) => [action.name, action]));
  const after = new Set(imported.actions.map(({ name }) => name));
  const pairs = pairsOfHead(stored.record.head as unknown as IntegrationHead, imported.head);
  for (const action of imported.actions) {
    const old = before.get(action.name);
    if (old?.hash !== action.hash) pairs.push(pairOf(action.name, old, action));
  }
  for (const old of stored.actions) if (!after.has(old.name)) pairs.push(pairOf(old.name, old, undefined));

  const texts = new Map([...stored.definitions, ...Object.entries(imported.definitions)]);
  const definitions = new Map<string, string>();
  for (const { content } of pairs) {
    for (const hash of differingDefinitions(content)) definitions.set(hash, texts.get(hash)!);
    await breathe();
  }
  const changes = pairs.map(({ content }) => content);
  const compared = await compareContent(gateway, stored.record.orgId, { kind: 'summaries', changes, definitions });
  return pairs
    .map(({ content: { kind, actionName }, ...pair }, index) => ({ kind, actionName, ...compared[index]!, ...pair }))
    .filter(({ fieldCount }) => fieldCount > 0);
}

function pairOf(actionName: string, old: PackedAction | undefined, now: PackedAction | undefined): Pair {
  const kind = old ? (now ? 'action_changed' : 'action_removed') : 'action_added';
  return {
    content: { kind, actionName, before: sideOf(old), after: sideOf(now) },
    after: now ? { ...now } : null,
    afterHash: now?.hash ?? '',
  };
}

function pairsOfHead(before: IntegrationHead, after: IntegrationHead): Pair[] {
  return HEAD_PARTS.flatMap((kind) => {
    const [old, now] = [partOf(before, kind), partOf(after, kind)];
    const afterHash = hashOf(withSortedParts(now));
    if (hashOf(withSortedParts(old)) === afterHash) return [];
    const [textBefore, textAfter] = [JSON.stringify(old), JSON.stringify(now)];
    return [{ content: { kind, actionName: null, before: { text: textBefore }, after: { text: textAfter } }, after: now, afterHash }];
  });
}

/** An action as one side of a change. */
export function sideOf(action: Pick<PackedAction, 'text' | 'uses'> | undefined): ChangeSide | null {
  return action ? { text: action.text, uses: action.uses } : null;
}

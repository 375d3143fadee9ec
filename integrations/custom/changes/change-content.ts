import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ChangeKind } from '../../../domain/custom-integrations/custom-integration.ts';
import { type Difference, diffValues, type Place } from '../../../domain/custom-integrations/diff-values.ts';
import type { DifferencesAt } from '../../../domain/custom-integrations/present-differences.ts';
import type { UsedDefinitions } from '../definitions.ts';
import type { PackedAction } from '../pack-integration.ts';
import { withSortedParts, withSortedSets } from '../unordered.ts';

/** JSON of an action, or of the changed fields of the integration itself. */
export interface ChangeSide {
  text: string;
  /** Shared schemas (`$defs`). */
  uses?: PackedAction['uses'];
}

/** The changed part, before and after. */
export interface ChangeContent {
  kind: ChangeKind;
  /** Null if the integration itself changes. */
  actionName: string | null;
  /** Null if the change adds an action. */
  before: ChangeSide | null;
  /** Null if the change removes an action. */
  after: ChangeSide | null;
}

/** Compares shared schemas by hash, each pair once. */
export interface ComparedDefinitions {
  differences(before: string | null | undefined, after: string | null | undefined): readonly Difference[];
}

/** `texts`: JSON of the schemas, by hash. */
export function compareDefinitions(texts: ReadonlyMap<string, string>): ComparedDefinitions {
  const compared = new Map<string, readonly Difference[]>();
  // A schema that did not fit into the import (null) allows every value.
  const parsed = (hash: string | null | undefined) =>
    hash === undefined ? undefined : withSortedSets(JSON.parse(texts.get(hash ?? '') ?? '{}'));
  return {
    differences(before, after) {
      const key = `${before} ${after}`;
      const known = compared.get(key) ?? diffValues(parsed(before), parsed(after));
      compared.set(key, known);
      return known;
    },
  };
}

/**
 * Returns all differences of a change, ordered by `FIRST`, then those of shared schemas. Ignores
 * the order of set-like lists. `inheritedUrl`: the base URL of the integration, for an added action
 * that has none.
 */
export function differencesOf(content: ChangeContent, definitions: ComparedDefinitions, inheritedUrl?: string): DifferencesAt[] {
  const { kind, before, after } = content;
  const added = kind === 'action_added' && inheritedUrl !== undefined ? { baseUrl: inheritedUrl } : {};
  const own = diffValues(ordered(before), ordered(after, added));
  const shared = definitionPairs(before?.uses, after?.uses).map(({ at, pair }) => ({ at, differences: definitions.differences(...pair) }));
  return [{ at: undefined, differences: own }, ...shared.filter(({ differences }) => differences.length > 0)];
}

/** Keys that are listed first. The other keys follow, `outputSchema` last. */
const FIRST = [
  ...['baseUrl', 'category', 'source', 'request', 'operation', 'tool', 'authenticate', 'auth', 'headers'],
  ...['recipients', 'paths', 'inputSchema', 'displayName', 'description'],
];

function ordered(side: ChangeSide | null, inherited: object = {}): Record<string, unknown> {
  if (side === null) return {};
  const sorted = withSortedSets(withSortedParts(JSON.parse(side.text) as JsonObject)) as JsonObject;
  const { name: _, input: inputSchema, output: outputSchema, ...rest } = { ...inherited, ...sorted };
  const all: JsonObject = { ...rest, ...(inputSchema !== undefined && { inputSchema }) };
  const first = FIRST.map((key) => [key, Object.hasOwn(all, key) ? all[key] : undefined]);
  return { ...Object.fromEntries(first), ...all, ...(outputSchema !== undefined && { outputSchema }) };
}

type JsonObject = Readonly<Record<string, unknown>>;
type Pair = readonly [before: string | null | undefined, after: string | null | undefined];

/**
 * The shared schemas before and after a change, by name. If input and output use different schemas
 * of the same name, both are listed.
 */
function definitionPairs(before: PackedAction['uses'] | undefined, after: PackedAction['uses'] | undefined): { at: Place; pair: Pair }[] {
  const [inputs, outputs] = [pairsOf(before?.input, after?.input), pairsOf(before?.output, after?.output)];
  return [...new Set([...inputs.keys(), ...outputs.keys()])].flatMap((name) => {
    const [input, output] = [inputs.get(name), outputs.get(name)];
    const merged = merge(input, output);
    if (merged) return entry(undefined, name, merged);
    return [...entry('inputSchema', name, input!), ...entry('outputSchema', name, output!)];
  });
}

function pairsOf(before: UsedDefinitions = {}, after: UsedDefinitions = {}): Map<string, Pair> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map([...names].map((name) => [name, [usedAs(before, name), usedAs(after, name)]]));
}

function usedAs(uses: UsedDefinitions, name: string): string | null | undefined {
  return Object.hasOwn(uses, name) ? uses[name] : undefined;
}

function merge(input: Pair | undefined, output: Pair | undefined): Pair | undefined {
  if (!input || !output) return input ?? output;
  const isOne = [0, 1].every((side) => input[side] === undefined || output[side] === undefined || input[side] === output[side]);
  return isOne ? [input[0] === undefined ? output[0] : input[0], input[1] === undefined ? output[1] : input[1]] : undefined;
}

function entry(side: string | undefined, name: string, pair: Pair): { at: Place; pair: Pair }[] {
  if (pair[0] === pair[1]) return [];
  const parent: Place = side === undefined ? undefined : { parent: undefined, key: side };
  return [{ at: { parent: { parent, key: '$defs' }, key: name }, pair }];
}

/** Returns the hashes of all shared schemas that differ. */
export function differingDefinitions({ before, after }: ChangeContent): string[] {
  return definitionPairs(before?.uses, after?.uses)
    .flatMap(({ pair }) => pair)
    .filter((hash) => typeof hash === 'string');
}

/** Returns the SHA-256 of a change, in hexadecimal. */
export function digestOf(content: ChangeContent): string {
  return createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex');
}

import type { Policy } from './policy.ts';
import type { FilterSubject } from './policy-filters.ts';
import { normalName } from './policy-filters.ts';

/** Policies in the order of evaluation, with an index that skips policies that cannot match. */
export interface PolicySet {
  all: readonly Policy[];
  /** Undefined if policies changed while they were loaded. */
  version?: number | undefined;
  /** Policies that only record what they would decide. Undefined if there are none. */
  shadows?: PolicySet | undefined;
  /** Returns the policies whose indexed filters match, in order. */
  candidates(subject: FilterSubject): readonly Policy[];
}

const DIMENSIONS = [
  { filter: 'integrationNames', of: (subject: FilterSubject) => subject.integrationName },
  { filter: 'actionNames', of: (subject: FilterSubject) => subject.actionName },
  { filter: 'integrationAliases', of: (subject: FilterSubject) => subject.integrationAlias },
  { filter: 'workspaceIntegrationIds', of: (subject: FilterSubject) => subject.workspaceIntegrationId },
  { filter: 'mcpServerIds', of: (subject: FilterSubject) => subject.mcpServerId },
] as const satisfies readonly { filter: keyof Policy; of(subject: FilterSubject): string | null }[];

/** Maximum of index entries per policy. Filters that exceed it are not indexed. */
const MAX_ENTRIES = 64;

/** The policies must be sorted by `comparePolicies`. */
export function policySet(all: readonly Policy[]): PolicySet {
  const index = indexPolicies(all);
  for (let step = index.next(); ; step = index.next()) if (step.done) return step.value;
}

const POLICIES_A_STEP = 10;

/** Like `policySet`, but works in steps so that other work can run in between. */
export function* indexPolicies(all: readonly Policy[]): Generator<void, PolicySet> {
  const shapes = new Map<string, { dimensions: (typeof DIMENSIONS)[number][]; byValues: Map<string, number[]> }>();
  for (const [rank, policy] of all.entries()) {
    if (rank % POLICIES_A_STEP === POLICIES_A_STEP - 1) yield;
    const { dimensions, entries } = namedBy(policy);
    const shapeName = dimensions.map(({ filter }) => filter).join();
    const shape = shapes.get(shapeName) ?? { dimensions, byValues: new Map<string, number[]>() };
    shapes.set(shapeName, shape);
    for (const entry of entries) {
      const ranks = shape.byValues.get(entry);
      if (ranks) ranks.push(rank);
      else shape.byValues.set(entry, [rank]);
    }
  }
  return {
    all,
    candidates(subject) {
      const ranks = [...shapes.values()].flatMap(
        ({ dimensions, byValues }) => byValues.get(keyOf(dimensions.map(({ of }) => nameOf(of(subject))))) ?? [],
      );
      return ranks.sort((a, b) => a - b).map((rank) => all[rank]!);
    },
  };
}

function namedBy(policy: Policy) {
  const dimensions: (typeof DIMENSIONS)[number][] = [];
  let combinations: string[][] = [[]];
  for (const dimension of DIMENSIONS) {
    const values = [...new Set(policy[dimension.filter].map(normalName))];
    if (values.length === 0 || values.length * combinations.length > MAX_ENTRIES) continue;
    dimensions.push(dimension);
    combinations = combinations.flatMap((combination) => values.map((value) => [...combination, value]));
  }
  return { dimensions, entries: combinations.map(keyOf) };
}

function nameOf(name: string | null): string | null {
  return name === null ? null : normalName(name);
}

function keyOf(values: readonly (string | null)[]): string {
  return JSON.stringify(values);
}

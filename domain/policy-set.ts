import type { FilterSubject } from './match-policies.ts';
import type { Policy } from './policy.ts';

/** Policies in the order in which they are asked, indexed by what their filters name: those that cannot match cost nothing. */
export interface PolicySet {
  all: readonly Policy[];
  /** The policies whose named filters fit the subject, in their order; what else they ask is for `matchPolicy`. */
  candidates(subject: FilterSubject): readonly Policy[];
}

/** The filters that name things, each with what a subject says of it. */
const DIMENSIONS = [
  { filter: 'integrationNames', of: (subject: FilterSubject) => subject.integrationName },
  { filter: 'actionNames', of: (subject: FilterSubject) => subject.actionName },
  { filter: 'integrationAliases', of: (subject: FilterSubject) => subject.integrationAlias },
  { filter: 'workspaceIntegrationIds', of: (subject: FilterSubject) => subject.workspaceIntegrationId },
  { filter: 'mcpServerIds', of: (subject: FilterSubject) => subject.mcpServerId },
] as const satisfies readonly { filter: keyof Policy; of(subject: FilterSubject): string | null }[];

/** A filter that would give a policy more entries than this is left to `matchPolicy`. */
const MAX_ENTRIES = 64;

/** Indexes policies that are sorted by `comparePolicies`. */
export function policySet(all: readonly Policy[]): PolicySet {
  // For each combination of filters in use: the policies by the values that those filters name.
  const shapes = new Map<string, { dimensions: (typeof DIMENSIONS)[number][]; byValues: Map<string, number[]> }>();
  for (const [rank, policy] of all.entries()) {
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
        ({ dimensions, byValues }) => byValues.get(keyOf(dimensions.map(({ of }) => of(subject)))) ?? [],
      );
      return ranks.sort((a, b) => a - b).map((rank) => all[rank]!);
    },
  };
}

function namedBy(policy: Policy) {
  const dimensions: (typeof DIMENSIONS)[number][] = [];
  let combinations: string[][] = [[]];
  for (const dimension of DIMENSIONS) {
    const values = [...new Set(policy[dimension.filter])];
    if (values.length === 0 || values.length * combinations.length > MAX_ENTRIES) continue;
    dimensions.push(dimension);
    combinations = combinations.flatMap((combination) => values.map((value) => [...combination, value]));
  }
  return { dimensions, entries: combinations.map(keyOf) };
}

function keyOf(values: readonly (string | null)[]): string {
  return JSON.stringify(values);
}

import { isNumber } from './bounds.ts';
import { type Evaluation, isSchema, type Outcome, type Problem, together } from './evaluation.ts';
import type { JsonSchema } from './value-schema.ts';
import { outOfBounds } from './wording.ts';

/** Evaluates the array keywords, after the other keywords of the same value. */
export function readArray(at: Evaluation, schema: JsonSchema, before: Outcome, path: Problem['path']): Outcome {
  const items = [...(before.value as unknown[])];
  const problems = [...before.problems, ...sizeProblems(schema, items).map((problem) => ({ ...problem, path }))];
  const seen = new Set<string | number>();
  // Before the draft 2020-12, `items` could be a list of schemas for the first items.
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(schema.items) ? schema.items : [];
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;

  const read = (index: number, sub: unknown) => {
    if (!isSchema(sub)) return;
    const outcome = at.evaluate(sub, items[index], [...path, index]);
    items[index] = outcome.value;
    problems.push(...outcome.problems);
    seen.add(index);
  };
  for (let index = 0; index < items.length && problems.length < MAX_PROBLEMS; index += 1)
    read(index, index < first.length ? first[index] : rest);

  if (isSchema(schema.contains)) {
    const contains = schema.contains;
    const found = items.flatMap((item, index) => (at.apply(contains, item, []).problems.length === 0 ? [index] : []));
    for (const index of found) seen.add(index);
    const least = isNumber(schema.minContains) ? schema.minContains : 1;
    if (found.length < least) problems.push({ path, message: `contains fewer than ${least} of the expected items`, keyword: 'contains' });
    if (isNumber(schema.maxContains) && found.length > schema.maxContains)
      problems.push({ path, message: `contains more than ${schema.maxContains} of the expected items`, keyword: 'contains' });
  }

  const looked = together(before.seen, seen);
  if (isSchema(schema.unevaluatedItems))
    for (let index = 0; index < items.length && problems.length < MAX_PROBLEMS; index += 1)
      if (!looked?.has(index)) read(index, schema.unevaluatedItems);
  return { value: items, problems, seen: together(before.seen, seen) };
}

/** Beyond this number of problems, no more items, key names or undeclared keys are checked. */
export const MAX_PROBLEMS = 200;

function sizeProblems(schema: JsonSchema, items: readonly unknown[]): Omit<Problem, 'path'>[] {
  const { maxItems, minItems } = schema;
  return [
    ...(isNumber(maxItems) && items.length > maxItems
      ? [{ message: outOfBounds('long', 'at most', maxItems, 'item'), keyword: 'maxItems' }]
      : []),
    ...(isNumber(minItems) && items.length < minItems
      ? [{ message: outOfBounds('short', 'at least', minItems, 'item'), keyword: 'minItems' }]
      : []),
    ...(schema.uniqueItems === true && new Set(items.map(canonical)).size < items.length
      ? [{ message: 'contains the same item twice', keyword: 'uniqueItems' }]
      : []),
  ];
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

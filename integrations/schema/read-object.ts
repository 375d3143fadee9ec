import { isNumber } from './bounds.ts';
import { type Evaluation, isObject, isSchema, type Outcome, type Problem, type SubSchema, together } from './evaluation.ts';
import { MAX_PROBLEMS } from './read-array.ts';
import type { JsonSchema } from './value-schema.ts';
import { expected, outOfBounds, possibleKeys } from './wording.ts';

/** Evaluates the object keywords, after the other keywords of the same value. */
export function readObject(at: Evaluation, schema: JsonSchema, before: Outcome, path: Problem['path']): Outcome {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const required = Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [];
  const given = Object.entries(before.value as Record<string, unknown>);
  // JSON has no `undefined`. In values from code, it means a missing key.
  const result = new Map(given.filter(([, value]) => value !== undefined));
  const problems = [...before.problems, ...sizeProblems(schema, result.size).map((problem) => ({ ...problem, path }))];
  const seen = new Set<string | number>();
  const read = (key: string, sub: unknown) => {
    if (!isSchema(sub)) return;
    const outcome = at.evaluate(sub, result.get(key), [...path, key]);
    result.set(key, outcome.value);
    problems.push(...outcome.problems);
    seen.add(key);
  };

  for (const key of required.filter((name) => !result.has(name) && !hasDefault(properties[name])))
    problems.push({
      path: [...path, key],
      message: `missing key "${key}": ${expected(dereferenced(at, properties[key]))}`,
      keyword: 'required',
    });
  for (const [key, sub] of Object.entries(properties)) {
    if (!result.has(key)) {
      if (isObject(sub) && hasDefault(sub)) result.set(key, structuredClone(sub.default));
      seen.add(key);
    } else if (at.mode === 'output' && result.get(key) === null && !required.includes(key) && isSchema(sub) && !takesNull(at, sub)) {
      result.delete(key);
    } else read(key, sub);
  }
  for (const [pattern, sub] of patterns) for (const key of result.keys()) if (at.matches(pattern, key)) read(key, sub);
  for (const [key, names] of Object.entries(isObject(schema.dependentRequired) ? schema.dependentRequired : {}))
    for (const name of Array.isArray(names) && result.has(key) ? names : [])
      if (!result.has(name))
        problems.push({ path: [...path, name], message: `missing key "${name}", which "${key}" needs`, keyword: 'required' });

  if (isSchema(schema.propertyNames))
    for (const key of result.keys())
      if (problems.length < MAX_PROBLEMS)
        problems.push(
          ...at.apply(schema.propertyNames, key, []).problems.map(({ message }) => ({ path: [...path, key], message, keyword: 'name' })),
        );
  const others = [...result.keys()].filter((key) => !seen.has(key));
  const known = path.length === 0 ? Object.keys(properties).filter((key) => !at.hiddenKeys.includes(key)) : Object.keys(properties);
  const rest = (keys: readonly string[], sub: SubSchema) => {
    for (const key of keys) {
      if (problems.length >= MAX_PROBLEMS) return;
      if (sub !== false) read(key, sub);
      else problems.push({ path: [...path, key], message: `unknown key "${key}"${possibleKeys(known)}`, keyword: 'unknown' });
    }
  };
  if (isSchema(schema.additionalProperties)) rest(others, schema.additionalProperties);
  const looked = together(before.seen, seen);
  if (isSchema(schema.unevaluatedProperties))
    rest(
      others.filter((key) => !looked?.has(key)),
      schema.unevaluatedProperties,
    );

  const namesKeys = isObject(schema.properties) || patterns.length > 0 || isSchema(schema.additionalProperties);
  return { value: Object.fromEntries(result), problems, seen: namesKeys ? together(before.seen, seen) : before.seen };
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && 'default' in schema;
}

function takesNull(at: Evaluation, schema: SubSchema): boolean {
  return at.apply(schema, null, []).problems.length === 0;
}

function dereferenced(at: Evaluation, schema: unknown): unknown {
  const name = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : undefined;
  return name !== undefined && isObject(at.root.$defs) ? at.root.$defs[name] : schema;
}

function sizeProblems({ maxProperties, minProperties }: JsonSchema, size: number): Omit<Problem, 'path'>[] {
  return [
    ...(isNumber(maxProperties) && size > maxProperties
      ? [{ message: outOfBounds('large', 'at most', maxProperties, 'key'), keyword: 'maxProperties' }]
      : []),
    ...(isNumber(minProperties) && size < minProperties
      ? [{ message: outOfBounds('small', 'at least', minProperties, 'key'), keyword: 'minProperties' }]
      : []),
  ];
}

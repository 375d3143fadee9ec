import { type Evaluation, isObject, isSchema, type Outcome, type Path, type Problem, type SubSchema, together } from './evaluation.ts';
import { resolveReference } from './resolve-reference.ts';
import type { JsonSchema } from './value-schema.ts';
import { expected, quoteList } from './wording.ts';

/** Evaluates the keywords that apply further schemas to the same value. */
export function alternatives(at: Evaluation, schema: JsonSchema, value: unknown, path: Path): Outcome {
  let outcome: Outcome = { value, seen: null, problems: [] };
  const also = (sub: SubSchema) => {
    outcome = joined(outcome, at.apply(sub, outcome.value, path));
  };
  for (const reference of [schema.$ref, schema.$dynamicRef])
    if (typeof reference === 'string') also(resolveReference(at.root, reference) ?? true);
  for (const sub of listOf(schema.allOf)) also(sub);
  if (schema.anyOf !== undefined) outcome = joined(outcome, anyOf(at, listOf(schema.anyOf), outcome.value, path));
  if (schema.oneOf !== undefined) outcome = joined(outcome, oneOf(at, listOf(schema.oneOf), outcome.value, path));
  if (isSchema(schema.if)) {
    const condition = at.apply(schema.if, outcome.value, path);
    const holds = condition.problems.length === 0;
    if (holds) outcome = joined(outcome, condition);
    const next = holds ? schema.then : schema.else;
    if (isSchema(next)) also(next);
  }
  if (isSchema(schema.not) && at.apply(schema.not, value, path).problems.length === 0)
    outcome = { ...outcome, problems: [...outcome.problems, { path, message: 'is not allowed here', keyword: 'not' }] };
  if (isObject(value) && isObject(schema.dependentSchemas))
    for (const [key, sub] of Object.entries(schema.dependentSchemas)) if (Object.hasOwn(value, key) && isSchema(sub)) also(sub);
  return outcome;
}

function anyOf(at: Evaluation, forms: readonly SubSchema[], value: unknown, path: Path): Outcome {
  const outcomes: Outcome[] = [];
  let fitting: Outcome | undefined;
  for (const form of forms) {
    const outcome = at.apply(form, value, path);
    if (outcome.problems.length > 0) outcomes.push(outcome);
    else fitting = fitting ? { ...fitting, seen: together(fitting.seen, outcome.seen) } : outcome;
    // Every matching form can declare further keys of an object.
    if (fitting && !isObject(value)) break;
  }
  return fitting ?? { value, seen: null, problems: explain(forms, outcomes, value, path) };
}

function oneOf(at: Evaluation, forms: readonly SubSchema[], value: unknown, path: Path): Outcome {
  const outcomes = forms.map((form) => at.apply(form, value, path));
  const [fitting, another] = outcomes.filter(({ problems }) => problems.length === 0);
  if (fitting && !another) return fitting;
  const message = 'matches several of the possible forms, and only one may match';
  return { value, seen: null, problems: another ? [{ path, message, keyword: 'oneOf' }] : explain(forms, outcomes, value, path) };
}

function explain(forms: readonly SubSchema[], outcomes: readonly Outcome[], value: unknown, path: Path): Problem[] {
  const tagged = byTag(forms, value);
  if (tagged && 'index' in tagged) return outcomes[tagged.index]?.problems ?? [];
  if (tagged) return [{ path: [...path, tagged.key], message: tagged.message, keyword: 'anyOf' }];
  const meant = outcomes.filter(({ problems }) => !problems.some((problem) => isOfAnotherKind(problem, path)));
  if (meant.length === 1) return meant[0]!.problems;
  const first = outcomes
    .map(({ problems }) => problems[0]!)
    .map((problem) => {
      const inner = problem.path.slice(path.length).join('.');
      return inner ? `${inner} ${problem.message}` : problem.message;
    });
  return [{ path, message: [...new Set(first)].join(', or ') || expected({ anyOf: forms }), keyword: 'anyOf' }];
}

function isOfAnotherKind(problem: Problem, path: Path): boolean {
  return problem.path.length === path.length && ['type', 'enum', 'const', 'anyOf', 'false'].includes(problem.keyword);
}

/** Selects a form by a key that is a constant in every form, if there is one. */
function byTag(forms: readonly SubSchema[], value: unknown): { index: number } | { key: string; message: string } | undefined {
  const first = forms[0];
  if (!isObject(value) || typeof first !== 'object' || !isObject(first.properties) || forms.length < 2) return undefined;
  const key = Object.keys(first.properties).find((name) => forms.every((form) => constantOf(form, name) !== undefined));
  if (key === undefined) return undefined;
  const constants = forms.map((form) => constantOf(form, key));
  const index = constants.indexOf(value[key]);
  if (index >= 0) return { index };
  return { key, message: `${Object.hasOwn(value, key) ? '' : `missing key "${key}": `}${quoteList(constants)}` };
}

function constantOf(form: SubSchema, key: string): unknown {
  const property = typeof form === 'object' && isObject(form.properties) ? form.properties[key] : undefined;
  return isObject(property) ? property.const : undefined;
}

/** Joins two outcomes of one value. `b` was evaluated with the value that `a` returned. */
function joined(a: Outcome, b: Outcome): Outcome {
  return { value: b.problems.length > 0 ? a.value : b.value, problems: [...a.problems, ...b.problems], seen: together(a.seen, b.seen) };
}

function listOf(value: unknown): SubSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

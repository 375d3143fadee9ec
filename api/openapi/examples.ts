import type { Route } from '../route.ts';
import { exampleOf } from './example-of.ts';
import { KNOWN_ANSWERS, KNOWN_RECORDS } from './known-records.ts';

/** A valid body of a route: its own example, else one made from the schema, else undefined. */
export function bodyExample({ body, example }: Route): unknown {
  if (!body) return undefined;
  const shown = example ?? exampleOf(body, 'input');
  return body.safeParse(shown).success ? shown : undefined;
}

/** A valid response of a route, made from its schema; undefined if that is not valid. */
export function answerExample({ method, path, answers }: Route, status: number): unknown {
  const example = exampleOf(answers[status]!, 'output', { ...KNOWN_RECORDS, ...KNOWN_ANSWERS[`${method} ${path}`] });
  return answers[status]!.safeParse(example).success ? example : undefined;
}

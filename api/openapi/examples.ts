import type { Route } from '../route.ts';
import { exampleOf } from './example-of.ts';
import { KNOWN_ANSWERS, KNOWN_RECORDS } from './known-records.ts';

/** A right body of a route: the one it names, else one made from its schema; undefined where that would not be right. */
export function bodyExample({ body, example }: Route): unknown {
  if (!body) return undefined;
  const shown = example ?? exampleOf(body, 'input');
  return body.safeParse(shown).success ? shown : undefined;
}

/** An answer of a route, made from its schema in the same way. */
export function answerExample({ method, path, answers }: Route, status: number): unknown {
  const example = exampleOf(answers[status]!, 'output', { ...KNOWN_RECORDS, ...KNOWN_ANSWERS[`${method} ${path}`] });
  return answers[status]!.safeParse(example).success ? example : undefined;
}

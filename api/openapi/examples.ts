import type { Route } from '../route.ts';
import { exampleOf } from './example-of.ts';
import { KNOWN_ANSWERS, KNOWN_RECORDS } from './known-records.ts';

/**
 * Returns a valid body of a route. Returns undefined if the route has no body or the example is not
 * valid.
 */
export function bodyExample({ body, example }: Route): unknown {
  if (!body) return undefined;
  const shown = example ?? exampleOf(body, 'input');
  return body.safeParse(shown).success ? shown : undefined;
}

/** Returns an example of an answer. Returns undefined if the example is not valid. */
export function answerExample({ method, path, answers }: Route, status: number): unknown {
  const example = exampleOf(answers[status]!, 'output', { ...KNOWN_RECORDS, ...KNOWN_ANSWERS[`${method} ${path}`] });
  return answers[status]!.safeParse(example).success ? example : undefined;
}

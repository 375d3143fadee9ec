import type { RuleSubject } from '../domain/evaluate-rules.ts';
import { ACTION_CATEGORIES } from '../domain/policy.ts';
import type { Action } from './definition.ts';

/**
 * What rules look at in an input that the action refuses: each field as the schema reads it where it is right, as it was sent where it is
 * not, and of the action's own functions what they can still tell. Never throws.
 */
export function judgeLeniently(action: Action, given: Readonly<Record<string, unknown>>): RuleSubject & { input: Record<string, unknown> } {
  const input = readFields(action, given);
  return {
    category: ACTION_CATEGORIES.find((category) => category === attempt(() => action.categoryOf(input))) ?? action.category,
    input,
    recipients: textsOf(attempt(() => action.recipients?.(input))),
    paths: textsOf(attempt(() => action.paths?.(input))),
  };
}

function readFields({ input }: Action, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = Object.entries(input.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(Object.hasOwn(given, name) ? given[name] : undefined);
    return parsed.success && parsed.data !== undefined ? [[name, parsed.data]] : [];
  });
  return { ...given, ...Object.fromEntries(read) };
}

/** Undefined where the function needs what is not there. */
function attempt<Told>(tell: () => Told): Told | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}

/** Undefined where nothing of it is usable: rules then look at the fields of the usual names. */
function textsOf(told: unknown): string[] | undefined {
  if (!Array.isArray(told)) return undefined;
  const texts = told.filter((item) => typeof item === 'string');
  return texts.length > 0 || told.length === 0 ? texts : undefined;
}

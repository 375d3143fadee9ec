import type { RuleSubject } from '../domain/policies/call-facts.ts';
import { ACTION_CATEGORIES } from '../domain/policies/policy.ts';
import type { Action } from './definition.ts';

/**
 * Returns facts for policy rules about a call whose input the action refuses. Invalid fields stay
 * as given. Never throws.
 */
export function judgeLeniently(action: Action, given: Readonly<Record<string, unknown>>): RuleSubject & { input: Record<string, unknown> } {
  const input = readFields(action, given);
  return {
    category: ACTION_CATEGORIES.find((category) => category === attempt(() => action.categoryOf(input))) ?? action.category,
    otherCategories: attempt(() => action.otherCategoriesOf?.(input)),
    input,
    recipients: textsOf(attempt(() => action.recipients?.(input))),
    paths: textsOf(attempt(() => action.paths?.(input))),
  };
}

function readFields({ input }: Action, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = input.keys.flatMap((name) => {
    const parsed = input.parseField(name, Object.hasOwn(given, name) ? given[name] : undefined);
    return parsed.ok && parsed.value !== undefined ? [[name, parsed.value]] : [];
  });
  return { ...given, ...Object.fromEntries(read) };
}

function attempt<Told>(tell: () => Told): Told | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}

/**
 * Undefined if `told` is no list, or has items but no text. Rules then read the usual field names.
 */
function textsOf(told: unknown): string[] | undefined {
  if (!Array.isArray(told)) return undefined;
  const texts = told.filter((item) => typeof item === 'string');
  return texts.length > 0 || told.length === 0 ? texts : undefined;
}

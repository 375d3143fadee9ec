import type { PolicyRules } from './policy.ts';
import { visibleText } from './preview-input.ts';

/** What a rule found in a call. */
export interface RuleFinding {
  rule: keyof PolicyRules;
  fired: boolean;
  /** Why it fired, or what stands against it. Written when asked: deciding needs no words of what stayed quiet. */
  tell(): string;
}

/** What a rule finds that lists nothing. */
export function emptyList(rule: keyof PolicyRules): RuleFinding {
  return { rule, fired: false, tell: () => 'its list is empty' };
}

const MAX_SHOWN = 5;
const MAX_LENGTH = 100;

/** The first few of some values that a caller wrote, each cut where it is long. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN).map(String).map(showValue);
  return values.length > MAX_SHOWN ? `${shown.join(', ')} and ${values.length - MAX_SHOWN} more` : shown.join(', ');
}

function showValue(value: string): string {
  return value.length > MAX_LENGTH ? `${visibleText(value.slice(0, MAX_LENGTH))}…` : visibleText(value);
}

import { visibleText } from '../redaction/visible-text.ts';
import type { PolicyRules } from './policy.ts';

/** The result of a rule for a call. */
export interface RuleFinding {
  rule: keyof PolicyRules;
  fired: boolean;
  /**
   * It fired because something could not be determined. Such a finding does not let a call through
   * that a later policy stops.
   */
  isUnsure?: boolean;
  /** Why it fired, or why not. Computed on demand: a decision needs no words. */
  describe(): string;
}

/** The finding of a rule with an empty list. */
export function emptyList(rule: keyof PolicyRules): RuleFinding {
  return { rule, fired: false, describe: () => 'its list is empty' };
}

/** The finding of a rule for a call that is too large to be judged whole. */
export function tooMuch(rule: keyof PolicyRules): RuleFinding {
  return { rule, fired: true, isUnsure: true, describe: () => TOO_MUCH };
}

/** The reason of a rule that counts as fired because the work budget of the call ended. */
const TOO_MUCH = 'the input is too large to be checked whole, so the policy counts as matched';

const MAX_SHOWN = 5;
const MAX_LENGTH = 100;

/** The first few of some values from a caller, each shortened. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN).map(String).map(showValue);
  return values.length > MAX_SHOWN ? `${shown.join(', ')} and ${values.length - MAX_SHOWN} more` : shown.join(', ');
}

function showValue(value: string): string {
  return value.length > MAX_LENGTH ? `${visibleText(value.slice(0, MAX_LENGTH))}…` : visibleText(value);
}

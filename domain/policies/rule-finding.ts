import { visibleText } from '../redaction/visible-text.ts';
import type { PolicyRules } from './policy.ts';

/** The result of a rule for a call. */
export interface RuleFinding {
  rule: keyof PolicyRules;
  fired: boolean;
  /**
   * Whether the rule fired for only a part of the call, or because something could not be
   * determined. A later policy that stops the call then still applies.
   */
  isUnsure?: boolean;
  /** Computed on demand, because a decision does not need it. */
  describe(): string;
}

/** The finding of a rule that cannot fire, because its list is empty. */
export function emptyListFinding(rule: keyof PolicyRules): RuleFinding {
  return { rule, fired: false, describe: () => 'its list is empty' };
}

/** The finding of a rule that fires, because the input is too large to be checked completely. */
export function tooLargeFinding(rule: keyof PolicyRules): RuleFinding {
  return { rule, fired: true, isUnsure: true, describe: () => TOO_MUCH };
}

const TOO_MUCH = 'the input is too large to be checked whole, so the policy counts as matched';

const MAX_SHOWN = 5;
const MAX_LENGTH = 100;

/** Returns the first five values, each cut to 100 characters, and the number of further values. */
export function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN).map(String).map(showValue);
  return values.length > MAX_SHOWN ? `${shown.join(', ')} and ${values.length - MAX_SHOWN} more` : shown.join(', ');
}

function showValue(value: string): string {
  return value.length > MAX_LENGTH ? `${visibleText(value.slice(0, MAX_LENGTH))}…` : visibleText(value);
}

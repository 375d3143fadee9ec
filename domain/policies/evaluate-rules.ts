import { factsOf, type RuleSubject } from './call-facts.ts';
import { judgeAmounts } from './judge-amounts.ts';
import { judgeDomains } from './judge-domains.ts';
import { judgePaths } from './judge-paths.ts';
import { judgeRecipients } from './judge-recipients.ts';
import type { PolicyRules } from './policy.ts';
import type { RuleFinding } from './rule-finding.ts';

/**
 * The rules that fire for a call, each as a sentence that names the rule (contract decisions 3). A
 * rule does not fire if the call lacks its value.
 */
export function evaluateRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject)
    .filter(({ fired }) => fired)
    .map(reasonOf);
}

/** Every rule as a sentence: whether it fired, and why. */
export function explainRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject).map((finding) =>
    finding.fired ? `${finding.rule}: fired, ${finding.describe()}` : `${finding.rule}: did not fire, ${finding.describe()}`,
  );
}

/** The findings of the given rules; a rule with several parts has several findings. */
export function judgeRules(rules: PolicyRules, subject: RuleSubject): RuleFinding[] {
  const facts = factsOf(subject);
  return [
    ...judgeCategory(rules, subject),
    ...judgeAmounts(rules, facts),
    ...judgeRecipients(rules, facts),
    ...judgeDomains(rules, facts),
    ...judgePaths(rules, facts),
  ];
}

/** The sentence for a rule that fired. */
export function reasonOf({ rule, describe }: RuleFinding): string {
  return `${rule}: ${describe()}`;
}

/**
 * If a call has several possible categories, a policy that restrains matches each of them, and a
 * policy that lets calls through matches none of them.
 */
function judgeCategory({ actionCategories }: PolicyRules, { category, otherCategories = [] }: RuleSubject): RuleFinding[] {
  if (!actionCategories) return [];
  const possible = category === null ? [] : [category, ...otherCategories];
  const listed = possible.filter((one) => actionCategories.includes(one));
  const describe = () => {
    if (category === null) return 'the category of this action is unknown';
    return possible.length === 1 ? `the action is of category ${category}` : `the action may be of category ${possible.join(' or ')}`;
  };
  return [{ rule: 'actionCategories', fired: listed.length > 0, isUnsure: listed.length < possible.length, describe }];
}

import { factsOf, type RuleSubject } from './call-facts.ts';
import { judgeAmounts } from './judge-amounts.ts';
import { judgeDomains } from './judge-domains.ts';
import { judgePaths } from './judge-paths.ts';
import { judgeRecipients } from './judge-recipients.ts';
import type { PolicyRules } from './policy.ts';
import type { RuleFinding } from './rule-finding.ts';

/** Returns a sentence for each rule that fires for a call (contract decisions 3). */
export function evaluateRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject)
    .filter(({ fired }) => fired)
    .map(reasonOf);
}

/** Returns a sentence for each finding: whether the rule fired, and why. */
export function explainRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject).map((finding) =>
    finding.fired ? `${finding.rule}: fired, ${finding.describe()}` : `${finding.rule}: did not fire, ${finding.describe()}`,
  );
}

/** Returns the findings of all rules of a policy. A rule can have several findings. */
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

/** Returns the sentence for a rule that fired. */
export function reasonOf({ rule, describe }: RuleFinding): string {
  return `${rule}: ${describe()}`;
}

/** The finding is unsure unless the rule lists all possible categories. */
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

import { judgeAmounts } from './judge-amounts.ts';
import { judgeDomains } from './judge-domains.ts';
import { judgePaths } from './judge-paths.ts';
import { judgeRecipients } from './judge-recipients.ts';
import type { ActionCategory, PolicyRules } from './policy.ts';
import type { RuleFinding } from './rule-finding.ts';

export { normalizePath } from './judge-paths.ts';
export type { RuleFinding };

/** The part of a call that rules look at. */
export interface RuleSubject {
  /** Null for an action that nobody knows yet: rules about categories stay quiet. */
  category: ActionCategory | null;
  input: unknown;
  /** Recipients and paths that the action declares; undefined = look for fields of the usual names. */
  recipients?: string[] | undefined;
  paths?: string[] | undefined;
}

/** Every rule that fires for a call, each as a sentence naming the rule (decisions section 3). A rule whose value the call does not have stays quiet. */
export function evaluateRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject)
    .filter(({ fired }) => fired)
    .map(reasonOf);
}

/** Every rule in a sentence that says whether it fired, and why. */
export function explainRules(rules: PolicyRules, subject: RuleSubject): string[] {
  return judgeRules(rules, subject).map((finding) =>
    finding.fired ? `${finding.rule}: fired, ${finding.tell()}` : `${finding.rule}: did not fire, ${finding.tell()}`,
  );
}

/** What each rule that is given finds in a call; several findings where a rule has several parts. */
export function judgeRules(rules: PolicyRules, subject: RuleSubject): RuleFinding[] {
  return [
    ...judgeCategory(rules, subject),
    ...judgeAmounts(rules, subject.input),
    ...judgeRecipients(rules, subject),
    ...judgeDomains(rules, subject.input),
    ...judgePaths(rules, subject),
  ];
}

/** The sentence of a rule that fired. */
export function reasonOf({ rule, tell }: RuleFinding): string {
  return `${rule}: ${tell()}`;
}

function judgeCategory({ actionCategories }: PolicyRules, { category }: RuleSubject): RuleFinding[] {
  if (!actionCategories) return [];
  const fired = category !== null && actionCategories.includes(category);
  const tell = () => (category === null ? 'nobody knows the category of this action' : `the action is of category ${category}`);
  return [{ rule: 'actionCategories', fired, tell }];
}

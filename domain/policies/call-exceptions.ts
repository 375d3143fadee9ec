import { factsOf, type RuleSubject } from './call-facts.ts';
import { compileAhead } from './compiled-rules.ts';
import { judgeRules } from './evaluate-rules.ts';
import { readPath } from './normal-path.ts';
import { ACTION_CATEGORIES, type CallException, type PolicyRules } from './policy.ts';
import { type FilterSubject, normalName } from './policy-filters.ts';
import { type RuleFinding, tooLargeFinding } from './rule-finding.ts';

type Call = RuleSubject & Pick<FilterSubject, 'integrationName' | 'actionName'>;

/** One thing that keeps a call out of an exception, if it fires. */
type Check = (call: Call) => RuleFinding[];

/**
 * Whether an exception of a policy holds for a call: nothing in the call is other than the
 * exception says. `isUnsure`: only something that could not be determined keeps the call out.
 */
export function judgeExceptions(rules: PolicyRules, call: Call): { isExcepted: boolean; isUnsure: boolean } {
  let isUnsure = false;
  for (const exception of exceptionsOf(rules, call)) {
    const fired = checksOf(exception)
      .flatMap((check) => check(call))
      .filter((finding) => finding.fired);
    if (fired.length === 0) return { isExcepted: true, isUnsure: false };
    isUnsure ||= fired.every((finding) => finding.isUnsure);
  }
  return { isExcepted: false, isUnsure };
}

/** The exceptions about the action of a call. */
export function exceptionsOf({ exceptions = [] }: PolicyRules, call: Call): CallException[] {
  return exceptions.filter(
    ({ integrationName, actionName, actionCategory }) =>
      normalName(integrationName) === normalName(call.integrationName) &&
      normalName(actionName) === normalName(call.actionName) &&
      actionCategory === call.category,
  );
}

const known = new WeakMap<CallException, { rules: PolicyRules; checks: Check[] }>();

/** What keeps a call of the action out of an exception, each fact alone. */
export function checksOf(exception: CallException): Check[] {
  return compiled(exception).checks;
}

/** Compiles the patterns of exceptions before the first call. */
export function compileExceptions({ exceptions = [] }: PolicyRules): void {
  for (const exception of exceptions) compileAhead(compiled(exception).rules);
}

function compiled(exception: CallException): { rules: PolicyRules; checks: Check[] } {
  const kept = known.get(exception);
  if (kept) return kept;
  const { actionCategory, amounts, recipients, domains, paths } = exception;
  const rules: PolicyRules = {
    actionCategories: ACTION_CATEGORIES.filter((category) => category !== actionCategory),
    amountThresholds: amounts.map(({ path, upTo }) => ({ path, gt: upTo })),
    recipientAllowlist: recipients,
    domainAllowlist: domains,
  };
  const each = Object.entries(rules).map(([name, rule]): PolicyRules => ({ [name]: rule }));
  const readings = new Set(paths.flatMap(readPath));
  const checks = [
    ...each.map(
      (rule): Check =>
        (call) =>
          judgeRules(rule, call),
    ),
    (call: Call) => [judgePaths(readings, call)],
  ];
  known.set(exception, { rules, checks });
  return { rules, checks };
}

/** Work for comparing one reading of a path. */
const PER_READING = 60;

/** Fires for a path of which some reading is not that of a known path. */
function judgePaths(known: ReadonlySet<string>, call: Call): RuleFinding {
  const facts = factsOf(call);
  const paths = facts.paths();
  if (!paths || !facts.work.spend(paths.readings.size * PER_READING)) return tooLargeFinding('exceptions');
  const fired = ![...paths.readings].every((reading) => known.has(reading));
  return { rule: 'exceptions', fired, describe: () => 'a path is another one' };
}

/** Whether rules have conditions, besides exceptions. Without any, the filters alone match. */
export function hasConditions(rules: PolicyRules): boolean {
  return Object.keys(rules).some((rule) => rule !== 'exceptions');
}

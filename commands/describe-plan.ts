import type { ActionCategory } from '../domain/policy.ts';
import type { CodePlan, PredictedCall } from '../sandbox/plan.ts';

/** What a reviewer has to know of the predicted calls beside what the code says. */
export interface PlannedImpact {
  /** The calls that wait for this yes, under any policy. */
  gated: ReadonlySet<PredictedCall>;
  /** How much of its input the reviewer sees, in characters; null where all of it is shown, or it is not known. */
  cutOf(call: PredictedCall): CutInput | null;
  categoryOf(call: PredictedCall): ActionCategory | undefined;
}

/** An input that is not shown whole. */
export interface CutInput {
  length: number;
  shownLength: number;
}

/** What the program is for: its own words where it has any, marked as such, since nobody has checked them; else what it calls. */
export function describeIntent(plan: CodePlan): string {
  if (plan.leadingComment) return `The program says of itself: ${plan.leadingComment}`;
  const tools = byTool(plan.calls).map(([tool]) => tool);
  return tools.length > 0 ? `Runs a program that calls ${list(tools)}.` : 'Runs a program whose calls show only as it runs.';
}

/** What a yes lets happen, from the plan alone: which calls, how often, with which inputs, what runs anyhow, and what is not known. */
export function describeImpact(plan: CodePlan, { gated, cutOf, categoryOf }: PlannedImpact): string {
  const asked = plan.calls.filter((call) => gated.has(call));
  const others = plan.calls.filter((call) => !gated.has(call));
  const count = `${asked.length === plan.calls.length ? 'every one' : asked.length} of ${plural(plan.calls.length, 'call')}`;
  const cut = asked.flatMap((call) => cutWords(call, cutOf(call)));
  // What a reviewer must not miss comes first: a long text is cut at its end.
  const sentences = [
    `Asks about ${plan.calls.length === 1 ? 'the one call' : count} found in the code: ${list(byTool(asked).map(phrase))}.`,
    cut.length > 0 && `Not all that would be sent is shown: ${list(cut, MAX_CUT)}.`,
    asked.some(({ inputKnown }) => !inputKnown) &&
      'Where an input is not known, the permission is used by whichever call of that action the program makes first, in that line or in another.',
    plan.analysisConfidence === 'dynamic' && 'Not every call can be told before it runs.',
    'Whatever else it calls is held to the policies when it is called.',
    others.length > 0 && `Not asked about here: ${list(byTool(others).map(brief))}.`,
    plan.externalDomains.length > 0 && `Names the domains ${list(plan.externalDomains, MAX_LISTED, plan.externalDomainCount)}.`,
    plan.storageIndicators.length > 0 && `What is stored goes by ${list(plan.storageIndicators, MAX_LISTED, plan.storageIndicatorCount)}.`,
  ];
  return sentences.filter(Boolean).join(' ');

  function phrase([tool, calls]: [string, PredictedCall[]]): string {
    return `${brief([tool, calls])}, ${howOften(calls)}, ${withWhat(calls, cutOf)}`;
  }

  function brief([tool, calls]: [string, PredictedCall[]]): string {
    const effects = [...new Set(calls.map(categoryOf))].flatMap((category) => (category ? EFFECT[category] : []));
    return effects.length > 0 ? `${short(tool)} (${effects.join(', ')})` : short(tool);
  }
}

const EFFECT: Record<ActionCategory, string> = {
  read: 'reads',
  write: 'changes data',
  delete: 'deletes',
  send: 'sends to others',
  payment: 'moves money',
  admin: 'changes settings',
  code: 'runs code',
  file: 'handles files',
};

function howOften(calls: PredictedCall[]): string {
  if (calls.some(({ repeats }) => repeats)) return 'as often as the program repeats it';
  return calls.length === 1 ? 'at most once' : `at most ${calls.length} times`;
}

function withWhat(calls: PredictedCall[], cutOf: PlannedImpact['cutOf']): string {
  const kinds = [...new Set(calls.map((call) => (call.inputKnown ? (cutOf(call) ? 'part' : 'whole') : 'unknown')))];
  return kinds.length === 1 ? WITH[kinds[0]!] : kinds.map((kind) => `some ${WITH[kind]}`).join(', ');
}

const WITH = {
  whole: 'with the input shown',
  part: 'with an input that is not shown whole',
  unknown: 'with whatever input the program makes of it',
};

function cutWords({ alias, action, line }: PredictedCall, cut: CutInput | null): string[] {
  if (!cut) return [];
  const [length, shown] = [cut.length, cut.shownLength].map((count) => count.toLocaleString('en'));
  return [`the input of ${short(`${alias}.${action}`)} in line ${line} is ${length} characters; ${shown} of them are shown`];
}

function byTool(calls: PredictedCall[]): [string, PredictedCall[]][] {
  return [...Map.groupBy(calls, ({ alias, action }) => `${alias}.${action}`)];
}

const MAX_LISTED = 20;
const MAX_CUT = 5;
/** Longer names would leave no room for what comes after them. */
const MAX_NAME = 80;

function list(names: string[], max = MAX_LISTED, count = names.length): string {
  const shown = names.slice(0, max).join('; ');
  return count > max ? `${shown}; and ${count - max} more` : shown;
}

function short(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

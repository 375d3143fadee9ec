import type { ActionCategory } from '../../domain/policies/policy.ts';
import type { CodePlan, PredictedCall } from '../../sandbox/plan/plan.ts';

/** Facts about the predicted calls, in addition to the plan. */
export interface PlannedImpact {
  /** The calls for which a policy requires approval. */
  gated: ReadonlySet<PredictedCall>;
  /** How much of a call's input the reviewer sees. Null if nothing is cut. */
  cutOf(call: PredictedCall): CutInput | null;
  categoryOf(call: PredictedCall): ActionCategory | undefined;
}

/** An input of which only a part is shown. The lengths are in characters. */
export interface CutInput {
  length: number;
  shownLength: number;
}

/**
 * The purpose of the program. Its leading comment is marked as the program's own words, because
 * nothing checks the comment.
 */
export function describeIntent(plan: CodePlan): string {
  if (plan.leadingComment) return `The program describes itself: ${plan.leadingComment}`;
  const tools = byTool(plan.calls).map(([tool]) => tool);
  return tools.length > 0 ? `Runs a program that calls ${list(tools)}.` : 'Runs a program whose calls are not known in advance.';
}

/**
 * What the program can do after its approval. The most important lines come first, because previews
 * cut a long text at its end.
 */
export function describeImpact(plan: CodePlan, { gated, cutOf, categoryOf }: PlannedImpact): string {
  const asked = plan.calls.filter((call) => gated.has(call));
  const others = plan.calls.filter((call) => !gated.has(call));
  const tools = byTool(asked);
  const cut = asked.flatMap((call) => cutWords(call, cutOf(call)));
  const need = `It makes ${counted(plan.calls.length)}. ${needWords(asked.length, plan.calls.length)} your yes:`;
  const lines = [
    ...(asked.length === 1
      ? [`${need} ${sentences(asked[0]!)}`]
      : [
          need,
          ...tools
            .slice(0, MAX_LISTED)
            .map(([tool, calls]) => `• ${short(tool)}${effectOf(calls)}, ${howOften(calls)}, ${withWhat(calls, cutOf)}.`),
        ]),
    tools.length > MAX_LISTED && `• and ${tools.length - MAX_LISTED} more actions`,
    cut.length > 0 && `Not everything that would be sent is shown: ${list(cut, MAX_CUT)}.`,
    asked.some(({ inputKnown, parts }) => !inputKnown && !parts) &&
      "If we can't see the input of a call, your yes is used by the first call of this action that the program makes, even one on another line.",
    plan.analysisConfidence === 'dynamic' &&
      'Some calls are not known until the program runs. They are checked against the policies when they are made.',
    others.length > 0 && `The others need no yes: ${list(byEffect(others))}.`,
    plan.externalDomains.length > 0 && `It contacts ${list(plan.externalDomains, MAX_LISTED, plan.externalDomainCount)}.`,
    plan.storageIndicators.length > 0 && `It uses stored data: ${list(plan.storageIndicators, MAX_LISTED, plan.storageIndicatorCount)}.`,
  ];
  return lines.filter(Boolean).join('\n');

  function sentences(call: PredictedCall): string {
    const category = categoryOf(call);
    const effect = category ? ` It ${EFFECT[category]}.` : '';
    return `${short(toolOf(call))}, ${howOften([call])}.${effect} ${SEEN[certaintyOf(call, cutOf(call))]}`;
  }

  function effectOf(calls: PredictedCall[]): string {
    const effects = [...new Set(calls.map(categoryOf))].flatMap((category) => (category ? EFFECT[category] : []));
    return effects.length > 0 ? ` (${effects.join(', ')})` : '';
  }

  /** The actions by effect, for example `http.get, files.list (read)`. */
  function byEffect(calls: PredictedCall[]): string[] {
    return [...Map.groupBy(byTool(calls), ([, made]) => effectOf(made))].map(([effect, tools]) => {
      const names = tools.map(([tool]) => short(tool)).join(', ');
      return names + (tools.length > 1 ? plural(effect) : effect);
    });
  }
}

function counted(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`;
}

function needWords(asked: number, all: number): string {
  if (asked === all) return all === 1 ? 'It needs' : 'All need';
  return asked === 1 ? '1 needs' : `${asked} need`;
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

/** `(reads)` becomes `(read)`. */
function plural(effect: string): string {
  return effect.replace(/s\b/, '');
}

function howOften(calls: PredictedCall[]): string {
  if (calls.some(({ repeats }) => repeats)) return 'each time the program repeats it';
  return calls.length === 1 ? 'at most once' : `at most ${calls.length} times`;
}

function withWhat(calls: PredictedCall[], cutOf: PlannedImpact['cutOf']): string {
  const kinds = [...new Set(calls.map((call) => certaintyOf(call, cutOf(call))))];
  return kinds.length === 1 ? WITH[kinds[0]!] : kinds.map((kind) => `some ${WITH[kind]}`).join(', ');
}

function certaintyOf({ inputKnown, parts }: PredictedCall, cut: CutInput | null): keyof typeof WITH {
  if (!inputKnown) return parts ? 'fields' : 'unknown';
  return cut ? 'part' : 'whole';
}

const WITH = {
  whole: 'with the input shown',
  fields: 'with the fields shown; the others come while it runs',
  part: 'with an input that is only partly shown',
  unknown: "with an input that we can't see yet",
};

const SEEN: Record<keyof typeof WITH, string> = {
  whole: 'We show what it sends.',
  fields: "We can't see yet all that it sends.",
  part: 'We show only a part of what it sends.',
  unknown: "We can't see yet what it sends.",
};

function cutWords(call: PredictedCall, cut: CutInput | null): string[] {
  if (!cut) return [];
  const [length, shown] = [cut.length, cut.shownLength].map((count) => count.toLocaleString('en'));
  return [`the input of ${short(toolOf(call))} in line ${call.line} is ${length} characters; ${shown} of them are shown`];
}

function byTool(calls: PredictedCall[]): [string, PredictedCall[]][] {
  return [...Map.groupBy(calls, toolOf)];
}

function toolOf({ alias, action }: PredictedCall): string {
  return `${alias}.${action}`;
}

const MAX_LISTED = 20;
const MAX_CUT = 5;
/** Longer names are cut, to leave room for the rest of the text. */
const MAX_NAME = 80;

function list(names: string[], max = MAX_LISTED, count = names.length): string {
  const shown = names.slice(0, max).join('; ');
  return count > max ? `${shown}; and ${count - max} more` : shown;
}

function short(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

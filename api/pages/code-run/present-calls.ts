import type { CallPreview } from '../../../commands/preview-run-calls.ts';
import type { Shown } from '../../../commands/preview-value.ts';
import type { CodeRunHistory } from '../../../commands/read-code-run-history.ts';
import { isFinished } from '../../../domain/code-run.ts';
import type { CodeMark } from '../approval/present-code.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';
import { describeCallOfRun, type ShownCallState } from './describe-run.ts';
import { showSeconds } from './show-seconds.ts';

/** A call of a run as the page shows it. */
export interface CallOfRun {
  /** Id of its place on the page. */
  target: string;
  number: number;
  tool: string;
  state: ShownCallState;
  line: number | null;
  column: number | null;
  startedAt: string | null;
  took: string | null;
  input: ShownPart;
  output: ShownPart;
  error: { code: string; message: string } | null;
  approvalId: string | null;
}

/** A value, or words that say why there is none; neither where nothing is to be said. */
interface ShownPart {
  value: ShownValue | null;
  words: string | null;
}

/** What one page holds of the values of a run, in characters: more would make a page that no browser scrolls. */
const MAX_LENGTH = 200_000;

export interface Budget {
  /** Null where it does not fit any more. */
  show(value: unknown, label: string): ShownValue | null;
}

/** Shows values as long as the page holds them. */
export function openBudget(): Budget {
  let left = MAX_LENGTH;
  return {
    show(value, label) {
      left -= JSON.stringify(value ?? null).length;
      return left >= 0 ? showValue(value, label).shown : null;
    },
  };
}

/** The calls of a run in their order. */
export function presentCalls({ run, calls }: CodeRunHistory, budget: Budget): CallOfRun[] {
  return calls.map((call) => {
    const name = `call ${call.number}`;
    return {
      target: `call-${call.number}`,
      number: call.number,
      tool: toolOf(call),
      state: describeCallOfRun(call, isFinished(run.status)),
      line: call.codeLine,
      column: call.codeColumn,
      startedAt: call.startedMs === null ? null : showSeconds(call.startedMs),
      took: call.durationMs === null ? null : showSeconds(call.durationMs),
      input: part(call.input, `input of ${name}`, budget),
      output: part(call.output, `answer to ${name}`, budget),
      error: call.error,
      approvalId: call.approvalId,
    };
  });
}

function toolOf({ integrationAlias, integrationName, actionName }: CallPreview): string {
  return `${integrationAlias ?? integrationName}.${actionName}`;
}

function part({ is, value }: { is: Shown; value: unknown }, label: string, budget: Budget): ShownPart {
  const shown = is === 'shown' ? budget.show(value, label) : null;
  return { value: shown, words: shown ? null : WORDS[is === 'shown' ? 'too_large' : is] };
}

const WORDS: Record<Exclude<Shown, 'shown'>, string | null> = {
  none: null,
  deleted: 'Not kept any more.',
  withheld: 'For members of the organization alone.',
  too_large: 'Too large for this page.',
};

/** The lines in which calls were made, with the calls: those of the same action in the same line as one. */
export function marksOf(calls: readonly CallOfRun[]): CodeMark[] {
  const groups = Map.groupBy(calls, ({ line, tool }) => `${line} ${tool}`);
  return [...groups.values()].map(([first, ...others]) => {
    const states = [first!, ...others].map(({ state }) => state.words);
    const counts = [...Map.groupBy(states, (words) => words)].map(([words, { length }]) =>
      others.length === 0 ? words : `${length} ${words}`,
    );
    const isDone = [first!, ...others].every(({ state }) => state.tone === 'good');
    return {
      line: first!.line,
      column: first!.column,
      target: first!.target,
      words: `${counts.join(', ')}: `,
      name: first!.tool,
      tone: isDone ? 'done' : 'look',
    };
  });
}

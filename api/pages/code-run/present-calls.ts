import type { CallPreview } from '../../../commands/reviews/preview-run-calls.ts';
import type { Shown } from '../../../commands/reviews/preview-value.ts';
import type { CodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import { isFinished } from '../../../domain/code-run.ts';
import type { CodeMark } from '../approval/present-code.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';
import { describeCallOfRun, type ShownCallState } from './describe-run.ts';
import { showSeconds } from './show-seconds.ts';

/** A call of a run, prepared for a page. */
export interface CallOfRun {
  /** Id of the element of the call on the page. */
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

/** `words` says why the value is missing. Both are null if the call has no such value. */
interface ShownPart {
  value: ShownValue | null;
  words: string | null;
}

/** In characters of JSON. Browsers cannot scroll larger pages. */
const MAX_LENGTH = 200_000;

/** The room that is left for values on a page. */
export interface Budget {
  /** Null for a value that is longer than the room that is left. */
  show(value: unknown, label: string): ShownValue | null;
}

/** Opens the budget of a page: `MAX_LENGTH` characters of JSON. */
export function openBudget(): Budget {
  let left = MAX_LENGTH;
  return {
    show(value, label) {
      const { length } = JSON.stringify(value ?? null);
      if (length > left) return null;
      left -= length;
      return showValue(value, label).shown;
    },
  };
}

/** Prepares the calls of a run for a page, in the order of the run. */
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
  deleted: 'Deleted: the retention period is over.',
  withheld: 'Visible to members of the organization only.',
  too_large: 'Too large for this page.',
};

/** One mark per line and action, with the states of its calls. */
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

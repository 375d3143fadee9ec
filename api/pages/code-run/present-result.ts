import type { Shown } from '../../../commands/reviews/preview-value.ts';
import type { CodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import { type CodeRun, isFinished } from '../../../domain/code-run.ts';
import type { ShownValue } from '../layout/show-value.ts';
import type { Budget } from './present-calls.ts';

/** The output and the log of a run. `words` says why the output or the log is missing. */
export interface ShownResult {
  output: { value: ShownValue | null; words: string | null };
  logs: { lines: { level: string; message: string; at: string }[]; omitted: number; words: string | null };
}

/** Prepares the output and the log of a run. */
export function presentResult({ run, output, logs }: Pick<CodeRunHistory, 'run' | 'output' | 'logs'>, budget: Budget): ShownResult {
  const value = output.is === 'shown' ? budget.show(output.value, 'output') : null;
  return {
    output: { value, words: value ? null : absence(output.is, run) },
    logs: {
      lines: logs.lines.map(({ level, message, timestamp }) => ({ level, message, at: timestamp.slice(11, 23) })),
      omitted: logs.omitted,
      words: logs.lines.length > 0 ? null : logs.is === 'shown' ? 'No log lines.' : absence(logs.is, run),
    },
  };
}

function absence(is: Shown, { status }: CodeRun): string {
  if (is === 'none' && !isFinished(status)) return 'Not available until the program ends.';
  return WORDS[is === 'shown' ? 'too_large' : is];
}

const WORDS: Record<Exclude<Shown, 'shown'>, string> = {
  none: 'None.',
  deleted: 'Deleted: the retention period is over.',
  withheld: 'Not shown: part of this run is visible to members of the organization only.',
  too_large: 'Too large for this page. The API returns the beginning.',
};

import type { CallPreview } from '../../../commands/reviews/preview-run-calls.ts';
import type { CodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import type { ShownState } from '../approval/shown-state.ts';

/** The state of a run in words. */
export function describeRun({ run, calls, approvals }: CodeRunHistory): ShownState {
  const pending = approvals.filter(({ status }) => status === 'pending').length;
  const { tone, label, sentence } = run.status === 'waiting' && pending === 0 ? APPROVED : RUN_STATES[run.status];
  const unknown = calls.filter(({ status }) => status === 'unknown').length;
  const waits =
    run.status === 'waiting' && pending > 0 ? ` ${pending === 1 ? 'One request is' : `${pending} requests are`} undecided.` : '';
  return { tone: unknown > 0 && tone === 'good' ? 'waiting' : tone, label, sentence: `${sentence}${waits}${unknownWords(unknown)}` };
}

function unknownWords(count: number): string {
  if (count === 0) return '';
  const what = count === 1 ? 'the outcome of one call is' : `the outcomes of ${count} calls are`;
  return ` But ${what} unknown. Check the target system before you repeat it.`;
}

const STAYS = 'Its calls are not undone.';

/** The statuses of runs, in words. */
export const RUN_STATES: Record<CodeRunStatus, ShownState> = {
  running: { tone: 'waiting', label: 'Running', sentence: 'The program is running. Reload this page to see its progress.' },
  waiting: {
    tone: 'waiting',
    label: 'Waiting for people',
    sentence: 'The program waits for a decision. It will continue where it stopped.',
  },
  executed: { tone: 'good', label: 'Ran to its end', sentence: 'The program ran to its end.' },
  failed: { tone: 'bad', label: 'Failed', sentence: `The program ended with an error. ${STAYS}` },
  rejected: { tone: 'bad', label: 'Rejected', sentence: `The program ended because one of its requests was rejected. ${STAYS}` },
  expired: {
    tone: 'quiet',
    label: 'Expired',
    sentence: `The program ended because a request was not decided, or an approval not used, in time. ${STAYS}`,
  },
  canceled: { tone: 'quiet', label: 'Canceled', sentence: `The program was canceled. ${STAYS}` },
};

const APPROVED: ShownState = {
  tone: 'waiting',
  label: 'Waiting to be continued',
  sentence: 'Every request is decided. The program continues when its caller asks for the result.',
};

/** The state of a call, in words. */
export interface ShownCallState {
  tone: 'good' | 'bad' | 'wait' | 'plain';
  words: string;
  explanation: string | null;
}

export function describeCallOfRun({ status, idempotent }: Pick<CallPreview, 'status' | 'idempotent'>, isEnded: boolean): ShownCallState {
  switch (status) {
    case 'succeeded':
      return { tone: 'good', words: 'succeeded', explanation: null };
    case 'failed':
      return { tone: 'bad', words: 'failed', explanation: null };
    case 'gated':
      return {
        tone: 'wait',
        words: isEnded ? 'not made' : 'waits for approval',
        explanation: isEnded ? 'The run ended before this call was approved.' : null,
      };
    case 'blocked':
      return { tone: 'bad', words: 'blocked', explanation: 'A policy forbids this call.' };
    case 'unknown':
      return { tone: 'wait', words: 'outcome unknown', explanation: UNKNOWN };
    case 'executing':
      return isEnded
        ? { tone: 'wait', words: 'not answered', explanation: 'The run ended before the answer came. The call may have taken effect.' }
        : {
            tone: 'plain',
            words: 'under way',
            explanation: idempotent ? null : 'If its answer is lost, the call is not repeated, and the run says so.',
          };
  }
}

const UNKNOWN =
  'The process stopped during this call, so it is unknown whether it took effect. It was not repeated. Check the target system before you repeat it.';

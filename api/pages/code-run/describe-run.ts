import type { CallPreview } from '../../../commands/preview-run-calls.ts';
import type { CodeRunHistory } from '../../../commands/read-code-run-history.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import type { ShownState } from '../approval/describe-state.ts';

/** Says honestly how a run stands: also that nobody knows of some call whether it took effect. */
export function describeRun({ run, calls, approvals }: CodeRunHistory): ShownState {
  const pending = approvals.filter(({ status }) => status === 'pending').length;
  const { tone, label, sentence } = run.status === 'waiting' && pending === 0 ? APPROVED : STATES[run.status];
  const unknown = calls.filter(({ status }) => status === 'unknown').length;
  const waits =
    run.status === 'waiting' && pending > 0 ? ` ${pending === 1 ? 'One request is' : `${pending} requests are`} undecided.` : '';
  return { tone: unknown > 0 && tone === 'good' ? 'waiting' : tone, label, sentence: `${sentence}${waits}${unknownWords(unknown)}` };
}

function unknownWords(count: number): string {
  if (count === 0) return '';
  const what = count === 1 ? 'the outcome of one call is' : `the outcomes of ${count} calls are`;
  return ` But ${what} unknown: look at the other side before it is asked for again.`;
}

const STAYS = 'What it did before stays done.';

const STATES: Record<CodeRunStatus, ShownState> = {
  running: { tone: 'waiting', label: 'Running', sentence: 'The program is running. Load this page again to see how far it is.' },
  waiting: { tone: 'waiting', label: 'Waiting for people', sentence: 'The program waits. It costs nothing and forgets nothing meanwhile.' },
  executed: { tone: 'good', label: 'Ran to its end', sentence: 'The program ran to its end.' },
  failed: { tone: 'bad', label: 'Failed', sentence: `The program ended with an error. ${STAYS}` },
  rejected: { tone: 'bad', label: 'Rejected', sentence: `The program ended because a request of it was rejected. ${STAYS}` },
  expired: {
    tone: 'quiet',
    label: 'Expired',
    sentence: `The program ended because nobody decided, or the permission was not used, in time. ${STAYS}`,
  },
  canceled: { tone: 'quiet', label: 'Canceled', sentence: `The program was canceled. ${STAYS}` },
};

const APPROVED: ShownState = {
  tone: 'waiting',
  label: 'Waiting to be continued',
  sentence: 'Everything it asked for is decided. It goes on when whoever started it asks for it.',
};

/** How a call stands, in words; `explanation` where they need one. */
export interface ShownCallState {
  tone: 'good' | 'bad' | 'wait' | 'plain';
  words: string;
  explanation: string | null;
}

/** Says of one call how it stands; of a run that has ended, what is not answered yet never will be. */
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
        explanation: isEnded ? 'The run ended before it was approved.' : null,
      };
    case 'blocked':
      return { tone: 'bad', words: 'blocked', explanation: 'A policy forbids it.' };
    case 'unknown':
      return { tone: 'wait', words: 'outcome unknown', explanation: UNKNOWN };
    case 'executing':
      return isEnded
        ? { tone: 'wait', words: 'not answered', explanation: 'The run ended while it was under way. It may have taken effect.' }
        : {
            tone: 'plain',
            words: 'under way',
            explanation: idempotent ? null : 'If its answer is lost it is not made again, and the run says so.',
          };
  }
}

const UNKNOWN =
  'A process died while it was under way, so nobody here knows whether it took effect. It was not made again. Look at the other side before it is asked for again.';

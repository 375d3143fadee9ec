import type { CallStatus } from '../../../domain/call.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { showTime } from '../layout/show-time.ts';
import { isPlan } from './describe-call.ts';
import type { ShownState } from './shown-state.ts';

/** The outcome of a used approval. */
export function describeOutcome(review: ApprovalReview, subject: string): ShownState {
  const { approval, calls, run } = review;
  const at = approval.consumedAt ? ` on ${showTime(approval.consumedAt).words}` : '';
  if (run && isPlan(approval)) return programOutcome(review, run.status, at);
  const status = calls.find(({ status }) => status in CALLS)?.status;
  const { tone, label, words } = (status && CALLS[status]) ?? CALL_STARTED;
  const program = run ? ` ${RUNS[run.status].words}` : '';
  return { tone, label, sentence: `The approval was used${at}: ${subject} was started, once. ${words}It cannot be used again.${program}` };
}

interface Words {
  tone: ShownState['tone'];
  label: string;
  words: string;
}

const CALL_STARTED: Words = { tone: 'good', label: 'Approved and used', words: '' };

const CALLS: Partial<Record<CallStatus, Words>> = {
  executing: { tone: 'good', label: 'Approved, running', words: 'It has not answered yet. ' },
  succeeded: { tone: 'good', label: 'Approved, and it succeeded', words: 'It succeeded. ' },
  failed: { tone: 'bad', label: 'Approved, but it failed', words: 'It failed. ' },
  unknown: {
    tone: 'waiting',
    label: 'Approved, outcome unknown',
    words: 'Its answer was lost, so it is unknown whether it took effect. Check the target system before you repeat it. ',
  },
};

function programOutcome({ calls }: ApprovalReview, status: CodeRunStatus, at: string): ShownState {
  const made = calls.filter((call) => call.status in CALLS);
  const total = made.reduce((sum, { count }) => sum + count, 0);
  const counts = made.map(({ status, count }) => `${count} ${COUNTED[status]}`).join(', ');
  const { tone, label, words } = RUNS[status];
  const sum = total === 0 ? '' : ` Under this approval it made ${total === 1 ? 'one call' : `${total} calls`}: ${counts}.`;
  return { tone, label, sentence: `The approval was first used${at}. ${words}${sum}` };
}

const COUNTED: Partial<Record<CallStatus, string>> = {
  executing: 'not answered yet',
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'with an unknown outcome',
};

const RUNS: Record<CodeRunStatus, Words> = {
  running: { tone: 'good', label: 'Approved, running', words: 'The program is running.' },
  waiting: { tone: 'good', label: 'Approved, under way', words: 'The program waits for another decision.' },
  executed: { tone: 'good', label: 'Approved, and it ran', words: 'The program ran to its end.' },
  failed: { tone: 'bad', label: 'Approved, but it failed', words: 'The program ended with an error. Its calls are not undone.' },
  rejected: {
    tone: 'bad',
    label: 'Approved, then stopped',
    words: 'The program ended because another of its requests was rejected. Its calls are not undone.',
  },
  expired: {
    tone: 'quiet',
    label: 'Approved, then stopped',
    words: 'The program ended because another of its approvals expired. Its calls are not undone.',
  },
  canceled: { tone: 'quiet', label: 'Approved, then canceled', words: 'The program was canceled. Its calls are not undone.' },
};

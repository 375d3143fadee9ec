import { predictedRun } from '../../../commands/code-runs/plan/predicted-run.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CallOutcome } from '../../../domain/call.ts';
import type { CodeRunResult, CodeRunStatus } from '../../../domain/code-run.ts';
import { planCode } from '../../../sandbox/plan/plan.ts';
import { consumeApproval } from '../../../store/approval-transitions.ts';
import { type JournalCall, recordRun } from '../../support/record-run.ts';
import { anApprovalOf, linkOf, type PageBed } from './page-bed.ts';
import { approve } from './page-records.ts';
import { aProgramWithHistory, CODE, SLACK } from './page-states.ts';

export const RESULT: CodeRunResult = {
  output: { sent: 2, ok: true },
  error: null,
  logs: [
    { level: 'log', message: 'two customers have not paid', timestamp: '2026-11-21T10:00:00.120Z' },
    { level: 'warn', message: 'grace@example.com has no address yet', timestamp: '2026-11-21T10:00:00.450Z' },
  ],
  timings: { totalExecuteMs: 2400, sandboxMs: 40 },
};

const FAILED: CodeRunResult = {
  ...RESULT,
  output: null,
  error: { code: 'ACTION_FAILED', message: 'Slack does not know the channel #finance.', line: 14, column: 17 },
};
const ENDED = (code: string, message: string): CodeRunResult => ({ ...RESULT, output: null, logs: [], error: { code, message } });

/** The states of the page of a run. Each function returns a link to the page in this state. */
export const RUN_STATES: Record<string, (bed: PageBed) => Promise<string>> = {
  waiting: (bed) => aRunPage(bed, 'waiting', [READ]),
  running: (bed) => aRunPage(bed, 'running', [READ, { ...SENT, status: 'executing' }]),
  executed: (bed) => aRunPage(bed, 'executed', ALL, RESULT),
  failed: (bed) => aRunPage(bed, 'failed', [READ, SENT, { ...TOLD, status: 'failed', outcome: REFUSED }], FAILED),
  rejected: (bed) => aRunPage(bed, 'rejected', [READ], ENDED('APPROVAL_REJECTED', 'A reviewer rejected it: This channel is public.')),
  expired: (bed) => aRunPage(bed, 'expired', [READ], ENDED('APPROVAL_EXPIRED', 'Nobody decided in time.')),
  canceled: (bed) =>
    aRunPage(bed, 'canceled', [READ, { ...SENT, status: 'executing' }], ENDED('CODE_RUN_CANCELED', 'The run was canceled.')),
  'with an unknown outcome': (bed) =>
    aRunPage(
      bed,
      'failed',
      [READ, { ...SENT, status: 'unknown' }],
      ENDED('CODE_CALL_OUTCOME_UNKNOWN', 'A process died while mail.send_email was under way.'),
    ),
  'over its retention': async (bed) => {
    const link = await aRunPage(bed, 'executed', ALL, RESULT);
    await bed.gateway
      .db('code_runs')
      .update({ finished_at: bed.gateway.db.raw("now() - interval '25 hours'") })
      .whereNotNull('finished_at');
    return link;
  },
};

const REFUSED: CallOutcome = { ok: false, error: { code: 'ACTION_FAILED', message: 'Slack does not know the channel #finance.' } };
const READ: JournalCall = {
  number: 0,
  tool: 'crm.list_customers',
  status: 'succeeded',
  line: 2,
  input: { unpaid: true },
  outcome: {
    ok: true,
    output: {
      customers: [
        { name: 'Ada', email: 'ada@example.com' },
        { name: 'Grace', email: 'grace@example.com' },
      ],
    },
  },
};
const SENT: JournalCall = {
  number: 1,
  tool: 'mail.send_email',
  status: 'succeeded',
  line: 10,
  input: { to: 'ada@example.com', subject: 'Reminder for Ada', body: 'Please pay within 14 days.' },
  outcome: { ok: true, output: { id: 'm-1' } },
};
const TOLD: JournalCall = {
  number: 3,
  tool: 'slack.send_channel_message',
  status: 'succeeded',
  line: 14,
  input: { channel: '#finance', text: 'Reminders are out.' },
  outcome: { ok: true, output: { ok: true, ts: '1763719200.000100' } },
};
const ALL = [READ, SENT, { ...SENT, number: 2, outcome: { ok: true, output: { id: 'm-2' } } as const }, TOLD];

const PLAN = {
  toolSurfaceHash: 'f00d',
  groups: [],
  predicted: predictedRun(planCode(CODE, { crm: ['list_customers'], mail: ['send_email'], slack: ['send_channel_message'] })),
};

/** The link belongs to a pending approval: links of settled approvals do not show a run. */
async function aRunPage(bed: PageBed, status: CodeRunStatus, calls: readonly JournalCall[], result?: CodeRunResult): Promise<string> {
  const approval = await aProgramWithHistory(bed, 'waiting');
  const isBegun = status !== 'waiting' && status !== 'rejected' && status !== 'expired';
  if (isBegun) {
    await approve(bed, approval);
    await consumeApproval(bed.gateway.db, approval.id);
  }
  await recordRun(
    bed.gateway.db,
    { ...approval, id: approval.codeRunId! },
    {
      status,
      calls: calls.map((call) => (call.number === 0 ? call : { ...call, approvalId: approval.id })),
      result,
      plan: PLAN,
    },
  );
  return runLinkOf(bed, isBegun ? await aLaterRequest(bed, approval) : approval);
}

/** Adds a pending approval of another call of the same run. */
export function aLaterRequest(bed: PageBed, { codeRunId, mcpServerId }: Approval): Promise<Approval> {
  return anApprovalOf(bed, { channel: '#finance' }, { ...SLACK, codeRunId, mcpServerId, callNumber: 9, source: 'mcp_code' });
}

/** Returns the address of the page of an approval's run, with the approval's own credentials. */
export function runLinkOf(bed: PageBed, approval: Pick<Approval, 'id'>): string {
  return linkOf(bed, approval).replace('?', '/run?');
}

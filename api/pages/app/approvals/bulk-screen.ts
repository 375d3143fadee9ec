import { decideAsPerson } from '../../../../commands/approvals/decide-as-person.ts';
import type { Approval } from '../../../../domain/approval.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../../domain/limits.ts';
import { listApprovalsWithIds } from '../../../../store/approval-inbox.ts';
import { found } from '../../../route.ts';
import { readReason } from '../../approval/read-reason.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { approvalIds, readDecision } from './approval-screens.ts';
import { describeRows } from './inbox-screen.ts';

const MOST = 50;

/**
 * `/app/approvals/decide?decision=…&id=…`: lists the selected requests, asks for confirmation, and
 * then decides all of them alike.
 */
export const bulkScreen: Screen = {
  path: '/approvals/decide',
  role: 'member',
  navigation: 'Approvals',
  get: async (visit) => confirmPage(visit, visit.query),
  post: async (visit) => {
    const { decision, approvals } = await readSelection(visit, visit.form);
    const reason = readReason(visit.form.get('reason') ?? '');
    if (reason.problem) return confirmPage(visit, visit.form, { problem: reason.problem, typed: reason.typed });
    const results = { decided: 0, late: 0, refused: 0 };
    for (const approval of approvals) {
      try {
        await decideAsPerson(visit.gateway, { approval, decision, person: visit.member, reason: reason.text });
        results.decided += 1;
      } catch (error) {
        if (!(error instanceof GatewayError) || (error.status !== 409 && error.status !== 403)) throw error;
        results[error.status === 409 ? 'late' : 'refused'] += 1;
      }
    }
    return { seeOther: '/approvals', done: sentenceOf(decision === 'approve' ? 'approved' : 'rejected', results) };
  },
};

function sentenceOf(verb: string, { decided, late, refused }: { decided: number; late: number; refused: number }): string {
  const were = (count: number) => `${count} ${count === 1 ? 'was' : 'were'}`;
  return [
    `${were(decided)} ${verb}.`,
    late > 0 && `${were(late)} already decided.`,
    refused > 0 && `${were(refused)} not for you to decide.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Leaves out approvals of whole programs (plans), which are decided on their own pages. */
async function readSelection({ gateway, member }: Visit, fields: URLSearchParams) {
  const decision = readDecision(fields.get('decision'));
  if (decision === 'cancel') throw new GatewayError('VALIDATION_ERROR', 'Choose Approve or Reject.');
  const ids = found(approvalIds.safeParse(fields.getAll('id')).data);
  if (ids.length > MOST) throw new GatewayError('VALIDATION_ERROR', `Select at most ${MOST} requests.`);
  const known = new Map((await listApprovalsWithIds(gateway.db, member.orgId, ids)).map((approval) => [approval.id, approval]));
  const approvals: Approval[] = ids
    .map((id) => found(known.get(id)))
    .filter(({ codeRunId, callNumber }) => codeRunId === null || callNumber !== null);
  return { decision, approvals } as const;
}

async function confirmPage(visit: Visit, fields: URLSearchParams, attempt?: { problem: string; typed: string }): Promise<AppPage> {
  const { decision, approvals } = await readSelection(visit, fields);
  const verb = decision === 'approve' ? 'Approve' : 'Reject';
  const noun = `${approvals.length} request${approvals.length === 1 ? '' : 's'}`;
  const rows = await describeRows(visit, approvals);
  const title = approvals.length === 0 ? 'Nothing is selected' : `${verb} ${noun}?`;
  return {
    ...{ status: attempt ? 400 : 200, title, template: 'approvals/bulk' },
    data: { title, rows, decision, reasonMaxLength: DECISION_REASON_MAX_LENGTH, button: `${verb} ${noun}`, ...attempt },
  };
}

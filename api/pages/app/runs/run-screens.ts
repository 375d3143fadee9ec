import { cancelCodeRunAs } from '../../../../commands/code-runs/cancel-code-run.ts';
import { getCodeRun } from '../../../../commands/code-runs/get-code-run.ts';
import { readCodeRunHistory } from '../../../../commands/reviews/read-code-run-history.ts';
import { type CodeRun, isFinished } from '../../../../domain/code-run.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findDeciderNames } from '../../../../store/approval-reviews.ts';
import { listCodeRunNames } from '../../../../store/code-run-history.ts';
import { found } from '../../../route.ts';
import { codeRunId } from '../../../v1/code-runs/schema.ts';
import { readReason } from '../../approval/read-reason.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { presentRunPage } from './present-run-page.ts';

const PATH = '/runs/{id}';

/** Screens that show and cancel a code run. */
export const runScreens: readonly Screen[] = [
  {
    ...{ path: PATH, role: 'viewer', navigation: 'Code runs' },
    get: async (visit) => runPage(visit, await getRun(visit)),
  },
  {
    ...{ path: `${PATH}/cancel`, role: 'admin', navigation: 'Code runs' },
    get: async (visit) => {
      const run = await getRun(visit);
      return isFinished(run.status) ? { seeOther: `/runs/${run.id}` } : cancelPage(run);
    },
    post: async (visit) => {
      const { gateway, principal, form } = visit;
      const run = await getRun(visit);
      const { problem, typed, text } = readReason(form.get('reason') ?? '');
      if (problem) return cancelPage(run, { status: 400, problem, typed });
      try {
        await cancelCodeRunAs(gateway, principal, run.id, text);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.code !== 'CODE_RUN_FINISHED') throw error;
        return { seeOther: `/runs/${run.id}`, done: `Nothing was canceled. ${error.message}` };
      }
      return { seeOther: `/runs/${run.id}`, done: 'The run is canceled.' };
    },
  },
];

/** The run in the path. Throws CODE_RUN_NOT_FOUND. */
export function getRun({ gateway, principal, params }: Visit): Promise<CodeRun> {
  return getCodeRun(gateway, principal, found(codeRunId.safeParse(params.id).data, 'CODE_RUN_NOT_FOUND'));
}

async function runPage(visit: Visit, run: CodeRun): Promise<AppPage> {
  const { gateway, member } = visit;
  const [history, [names], deciders] = await Promise.all([
    readCodeRunHistory(gateway, run, { maySee: () => true }),
    listCodeRunNames(gateway.db, [run.id]),
    findDeciderNames(gateway.db, run.id),
  ]);
  const isAdmin = hasRole(member.role, 'admin');
  const view = await presentRunPage(visit, { history, names, deciders });
  const mayCancel = isAdmin && !isFinished(run.status);
  return {
    title: 'Code run',
    template: 'runs/run',
    data: { ...view, mayCancel, mayReplay: isAdmin && isFinished(run.status), workflow: isAdmin ? workflowOf(visit, run) : undefined },
  };
}

function workflowOf({ gateway }: Visit, { id }: CodeRun): string | undefined {
  const { uiUrl, namespace } = gateway.config.temporal;
  if (!uiUrl) return undefined;
  const path = ['namespaces', namespace, 'workflows', `code-run/${id}`].map(encodeURIComponent).join('/');
  return `${uiUrl.replace(/\/$/, '')}/${path}`;
}

function cancelPage({ id, status }: CodeRun, attempt?: { status: number; problem: string; typed: string }): AppPage {
  const consequences = [
    status === 'running' ? 'Its program stops within a second.' : 'Its program does not continue.',
    'Approvals that still wait are withdrawn. Calls that were made are not undone.',
  ];
  const question = 'Cancel this run?';
  return {
    ...{ status: attempt?.status ?? 200, title: question, template: 'runs/cancel' },
    data: { id, question, consequences, reasonMaxLength: DECISION_REASON_MAX_LENGTH, ...attempt },
  };
}

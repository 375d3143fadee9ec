import { z } from 'zod';
import { codeRunLink, decidingLinks, readerLinks } from '../../../commands/approvals/approval-links.ts';
import { cancelCodeRunAs } from '../../../commands/code-runs/cancel-code-run.ts';
import { getCodeRun } from '../../../commands/code-runs/get-code-run.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { readCodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CodeRun } from '../../../domain/code-run.ts';
import { assertWorkspace, type KeyPrincipal } from '../../../domain/principal.ts';
import { countCodeRuns, listCodeRuns } from '../../../store/code-run-history.ts';
import { cursorsOf } from '../../cursor.ts';
import { type Route, route } from '../../route.ts';
import { presentCodeRun, presentListedCodeRun, type RunLinks } from './present.ts';
import { cancelBody, codeRun, codeRunId, codeRunsQuery, listedCodeRun } from './schema.ts';

const TAG = 'Code runs';
const cursors = cursorsOf('code-runs', codeRunId);
const one = {
  tag: TAG,
  params: z.object({ id: codeRunId }),
  notFound: 'CODE_RUN_NOT_FOUND',
  answers: { 200: z.object({ codeRun }) },
} as const;

/** Code runs: status, calls, approvals and results. */
export const codeRunRoutes: Route[] = [
  route({
    tag: TAG,
    method: 'get',
    path: '/api/v1/code-runs',
    summary: 'List code runs, newest first',
    query: codeRunsQuery,
    answers: { 200: z.object({ codeRuns: z.array(listedCodeRun), total: z.int(), nextCursor: z.string().nullable() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, limit, cursor, ...filter } }) => {
      const list = { orgId: principal.orgId, filter: { workspaceId, ...filter } };
      const after = cursor === undefined ? undefined : cursors.read(gateway.tokens, list, cursor);
      if (workspaceId !== undefined) assertWorkspace(principal, workspaceId);
      const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [workspaceId];
      const scope = { orgId: principal.orgId, ...(workspaceIds !== 'all' && { workspaceIds }) };
      const matching = { ...filter, ...scope };
      const [{ items, next }, total] = await Promise.all([
        listCodeRuns(gateway.db, matching, { limit, after }),
        countCodeRuns(gateway.db, matching),
      ]);
      return { codeRuns: items.map(presentListedCodeRun), total, nextCursor: next && cursors.write(gateway.tokens, list, next) };
    },
  }),
  route({
    ...one,
    method: 'get',
    path: '/api/v1/code-runs/{id}',
    summary: 'Get a code run with its code, calls, approvals and result',
    description:
      'Code, inputs, outputs, logs and errors are previews: without secrets, and cut if they are long. The output and the logs of the run, and the outputs of its calls, are deleted after the retention period. The rest stays.',
    errors: ['CODE_RUN_NOT_FOUND', 'SCOPE_DENIED'],
    handle: async ({ gateway, principal, params }) => presented(gateway, principal, await getCodeRun(gateway, principal, params.id)),
  }),
  route({
    ...one,
    method: 'post',
    path: '/api/v1/code-runs/{id}/cancel',
    summary: 'Cancel a code run that is running or waiting',
    description: 'Stops its code within a second and cancels its pending approvals. Completed calls are not undone.',
    body: cancelBody,
    errors: ['CODE_RUN_NOT_FOUND', 'SCOPE_DENIED', 'CODE_RUN_FINISHED'],
    handle: async ({ gateway, principal, params, body }) =>
      presented(gateway, principal, await cancelCodeRunAs(gateway, principal, params.id, body?.reason)),
  }),
];

async function presented(gateway: Gateway, principal: KeyPrincipal, run: CodeRun) {
  const history = await readCodeRunHistory(gateway, run, { maySee: () => true });
  return { codeRun: presentCodeRun(history, (approval) => linksFor(gateway, principal, approval)) };
}

function linksFor(gateway: Gateway, principal: KeyPrincipal, approval: Approval): RunLinks {
  const { approvalUrl, hostedApprovalUrl } = principal.mayDecide ? decidingLinks(gateway, approval) : readerLinks(gateway, approval);
  return { approvalUrl, codeRunUrl: hostedApprovalUrl && codeRunLink(hostedApprovalUrl) };
}

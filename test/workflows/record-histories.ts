import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { aCodeServer, type CodeServer, openBehind } from '../support/code-runs.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';

type Behind = Awaited<ReturnType<typeof openBehind>>;
type Workflow = ReturnType<Behind['temporal']['workflow']['getHandle']>;
type EventAttributes = `${'timerStarted' | 'timerFired'}EventAttributes`;

/** Path of the folder of recorded histories. */
export const HISTORIES = join(import.meta.dirname, 'histories');

/** Records the histories whose files are missing. To record a history again, delete its file. */
export async function recordMissingHistories(): Promise<void> {
  const missing = Object.entries(WAYS).filter(([name]) => !existsSync(fileOf(name)));
  if (missing.length === 0) return;
  const behind = await openBehind();
  try {
    for (const [name, take] of missing) {
      const workflow = await take(behind, await aTenant());
      const history = historyToJSON(await workflow.fetchHistory());
      mkdirSync(dirname(fileOf(name)), { recursive: true });
      writeFileSync(fileOf(name), `${JSON.stringify(JSON.parse(history), null, 2)}\n`);
    }
  } finally {
    await behind.close();
  }
}

const fileOf = (name: string) => join(HISTORIES, `${name}.json`);

const WAYS: Record<string, (behind: Behind, tenant: Tenant) => Promise<Workflow>> = {
  'approval-waits': async (behind, tenant) => {
    const { workflow } = await aWaitingApproval(behind, tenant);
    return workflow;
  },
  'approval-decided': async (behind, tenant) => {
    const { id, workflow } = await aWaitingApproval(behind, tenant);
    await tenant.api.must(200).post(`/api/v1/approvals/${id}/approve`);
    return ended(workflow);
  },
  'approval-decided-by-an-operator': async (behind, tenant) => {
    const { workflow } = await aWaitingApproval(behind, tenant);
    await workflow.signal('approve', { reason: 'without a code' });
    await workflow.signal('reject', 'not now');
    return ended(workflow);
  },
  'approval-signaled-many-times-at-once': async (behind, tenant) => {
    const { workflow } = await aWaitingApproval(behind, tenant);
    await Promise.all(['approve', 'reject', 'cancel', 'reject', 'settled'].map((signal) => workflow.signal(signal)));
    return ended(workflow);
  },
  'approval-timed-out': async (behind, tenant) => {
    const { id, workflow } = await aWaitingApproval(behind, tenant);
    const inASecond = behind.db.raw("now() + interval '1 second'");
    await behind.db('approvals').where({ id }).update({ expires_at: inASecond });
    await workflow.signal('settled');
    await has(workflow, 'timerFiredEventAttributes');
    return ended(workflow);
  },
  'code-run-executed': async (behind, tenant) => {
    const server = await aCodeServer(tenant, ['datetime']);
    await server.run({ code: 'return 1' });
    return ended(await lastRun(behind, server));
  },
  'code-run-waits': async (behind, tenant) => (await aWaitingRun(behind, tenant)).workflow,
  'code-run-continued': async (behind, tenant) => {
    const { server, approvalId, workflow } = await aWaitingRun(behind, tenant);
    await server.approve(approvalId);
    await server.run({ approvalId });
    return ended(workflow);
  },
  'code-run-continued-by-its-workflow': async (behind, tenant) => {
    const { server, approvalId, workflow } = await aWaitingRun(behind, tenant);
    await server.approve(approvalId);
    await workflow.executeUpdate('continue');
    return ended(workflow);
  },
  'code-run-of-two-seconds': async (behind, tenant) => {
    const server = await aCodeServer(tenant, ['datetime']);
    await server.run({ code: 'return new Promise((resolve) => setTimeout(resolve, 2000))' });
    return ended(await lastRun(behind, server));
  },
  'code-run-continued-while-awaited': async (behind, tenant) => {
    const { server, approvalId, workflow } = await aWaitingRun(behind, tenant);
    const answer = server.run({ approvalId, waitForApprovalSeconds: 60 });
    await server.approve(approvalId);
    await answer;
    return ended(workflow);
  },
  'code-run-canceled-by-an-operator': async (behind, tenant) => {
    const { workflow } = await aWaitingRun(behind, tenant);
    await workflow.signal('cancel', 'enough');
    return ended(workflow);
  },
  'code-run-canceled-by-temporal': async (behind, tenant) => {
    const { workflow } = await aWaitingRun(behind, tenant);
    await workflow.cancel();
    return ended(workflow);
  },
  'code-run-rejected': async (behind, tenant) => {
    const { approvalId, workflow } = await aWaitingRun(behind, tenant);
    await tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/reject`);
    return ended(workflow);
  },
};

async function aWaitingApproval(behind: Behind, tenant: Tenant) {
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', {
    ...{ integrationName: 'datetime', actionName: 'parse_date', workspaceId: tenant.workspaceId },
    input: { dateString: '2026-01-01' },
  });
  const workflow = behind.temporal.workflow.getHandle(`approval/${approval.id}`);
  await has(workflow, 'timerStartedEventAttributes');
  return { id: approval.id as string, workflow };
}

async function aWaitingRun(behind: Behind, tenant: Tenant) {
  const server = await aCodeServer(tenant, ['datetime']);
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const { approval } = await server.run({ code: "return svc.datetime.parse_date({ dateString: '2026-01-01' })" });
  const workflow = await lastRun(behind, server);
  await has(workflow, 'timerStartedEventAttributes');
  return { server, approvalId: approval.id as string, workflow };
}

async function lastRun(behind: Behind, server: CodeServer): Promise<Workflow> {
  return behind.temporal.workflow.getHandle(`code-run/${await server.lastRunId()}`);
}

async function has(workflow: Workflow, attributes: EventAttributes): Promise<void> {
  while (!(await workflow.fetchHistory()).events?.some((event) => event[attributes])) await workflow.describe();
}

async function ended(workflow: Workflow): Promise<Workflow> {
  await workflow.result().catch(() => {});
  return workflow;
}

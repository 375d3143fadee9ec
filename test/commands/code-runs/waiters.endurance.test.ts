import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { continueCodeRun } from '../../../commands/code-runs/continue-code-run.ts';
import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import { openPassCanceler } from '../../../commands/code-runs/pass/cancel-passes.ts';
import { startPassesEagerly } from '../../../commands/code-runs/pass/start-pass-eagerly.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Db } from '../../../infra/database.ts';
import { recordRunEnd } from '../../../store/code-run-transitions.ts';
import { RUN_APPROVAL_SETTLED } from '../../../store/outbox.ts';
import type { ApiBed } from '../../api/api-bed.ts';
import { type CountedBed, openCountedBed } from '../../api/counted-bed.ts';
import { copyRow } from '../../support/table-contents.ts';
import { until } from '../../support/until.ts';

const WAITERS = 1000;

let api: CountedBed;
let bed: ApiBed;
let patient: Db;
beforeAll(async () => {
  api = await openCountedBed();
  ({ bed, patient } = api);
});
afterAll(() => api?.close());

async function pausedRuns(count: number): Promise<{ serverId: string; approvalIds: string[]; idOf(approvalId: string): string }> {
  const body = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', body);
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'hash-encode' });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'] });
  const parts = { sandbox: await bed.gateway.sandboxes.isolates(), passCanceler: openPassCanceler(bed.gateway) };
  const eager = startPassesEagerly(bed.gateway, parts, { graceMs: 0 });
  const { run, awaited } = await executeCode(gatewayWith({ startCodeRun: async () => {} }), {
    ...callerOf(server.id),
    code: "return svc.hash_encode.hash({ text: 'x' })",
  });
  await eager.stop();
  const [runId, approvalId] = ['crun_', 'apr_'].map((prefix) => `'${prefix}' || lpad(n::text, 22, '0')`) as [string, string];
  await copyRow(patient, {
    ...{ table: 'code_runs', id: run.id, count },
    changes: { id: runId, plan_approval_ids: `array[${approvalId}]` },
  });
  await copyRow(patient, {
    ...{ table: 'approvals', id: awaited!.approvals[0].id, count },
    changes: { id: approvalId, code_run_id: runId, idempotency_key: "'key_' || n", announced_at: 'now()' },
  });
  const approvalIds = Array.from({ length: count }, (_, n) => `apr_${String(n + 1).padStart(22, '0')}`);
  return { serverId: server.id, approvalIds, idOf: (approvalId) => approvalId.replace('apr', 'crun') };
}

const gatewayWith = (orchestrator: Partial<Gateway['orchestrator']>): Gateway => ({
  ...bed.gateway,
  orchestrator: { ...bed.gateway.orchestrator, reachable: async () => {}, signalSettled: async () => {}, ...orchestrator },
});
const callerOf = (serverId: string) => ({
  server: { id: serverId, orgId: bed.orgId, workspaceId: bed.workspaceId, name: 'Code', settings: {} },
  ...({ requestedBy: { type: 'api_key', id: 'key' }, endUserId: null } as const),
});
const end = (codeRunId: string) => {
  const result = { output: codeRunId, error: null, logs: [], timings: { totalExecuteMs: 1, sandboxMs: 1 } };
  return recordRunEnd(patient, codeRunId, { status: 'executed', result, runningMs: 1 });
};
/** Resolves when the API has sent no statement for about a second. */
async function untilQuiet(): Promise<void> {
  for (let before = -1; before !== api.statements().length; ) {
    before = api.statements().length;
    for (let looks = 0; looks < 20; looks += 1) await patient.raw('select pg_sleep(0.05)');
  }
}
const counted = (label: string) => api.statements().filter((one) => one === label).length;

test('a decision wakes only one of a thousand waiters, and the waiters share reads', async () => {
  const { serverId, approvalIds, idOf } = await pausedRuns(WAITERS);
  const asked: string[] = [];
  const released = Promise.withResolvers<void>();
  const gateway = gatewayWith({
    continueCodeRun: async (codeRunId) => {
      asked.push(codeRunId);
      await released.promise;
      await end(codeRunId);
      return true;
    },
  });
  const answered: string[] = [];
  const answers = approvalIds.map(async (approvalId) => {
    const { run } = await continueCodeRun(gateway, { ...callerOf(serverId), approvalId, waitForApprovalSeconds: 60 });
    answered.push(run.id);
    return run.result?.output;
  });
  await until(async () => (await patient('code_runs').whereRaw('awaited_until > now()')).length === WAITERS);
  // Every waiter has read its run once more and now waits for a notification.
  await untilQuiet();

  const [first = '', ...others] = approvalIds;
  api.takeStatements();
  await decideApproval(gateway, { approvalId: first, decision: 'approve', by: { type: 'operator', id: null } });
  await end(idOf(first));
  await answers[0];
  expect(answered).toEqual([idOf(first)]);
  expect([asked, counted('approval-states-of-runs'), counted('changed-runs') <= 2]).toEqual([[], 1, true]);

  // No worker executes the passes of the other runs.
  await patient('approvals').whereIn('id', others).update({ status: 'approved', decided_at: patient.fn.now() });
  await patient.raw('select pg_notify(?, id) from code_runs where status = ?', [RUN_APPROVAL_SETTLED, 'waiting']);
  await until(() => asked.length > 0);
  api.takeStatements();
  const since = Date.now();
  await until(() => Date.now() > since + 3 * RECHECK_MS && counted('changed-runs') > 2);
  const [reads, asks, turns] = [counted('changed-runs'), asked.length, 2 + Math.ceil((Date.now() - since) / SLOT_MS)];
  expect(api.statements().filter((label) => label !== 'changed-runs')).toEqual([]);
  expect(reads).toBeLessThan(WAITERS / 4);
  expect(asks).toBeLessThanOrEqual(TURNS_AT_ONCE * turns);

  released.resolve();
  expect(await Promise.all(answers)).toEqual(approvalIds.map(idOf));
  expect(asked.length).toBeLessThanOrEqual(WAITERS);
  expect(new Set(asked).size).toBe(asked.length);
});

/** These three values equal the values in `run-progress.ts` and `limits.ts`. */
const RECHECK_MS = 1000;
const SLOT_MS = 2000;
const TURNS_AT_ONCE = 4;

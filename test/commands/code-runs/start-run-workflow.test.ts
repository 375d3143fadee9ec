import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import { openPassCanceler } from '../../../commands/code-runs/pass/cancel-passes.ts';
import { type EagerPasses, startPassesEagerly } from '../../../commands/code-runs/pass/start-pass-eagerly.ts';
import { startDueWorkflows } from '../../../commands/code-runs/start-run-workflow.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { until } from '../../support/until.ts';

let bed: ApiBed;
let eager: EagerPasses;
let server: { id: string };
beforeAll(async () => {
  bed = await openApiBed();
  const body = { name: 'Code', workspaceId: bed.workspaceId, mode: 'CODE', authMode: 'bearer' };
  ({ server } = await bed.api.must(201).post('/api/v1/mcp/servers', body));
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'hash-encode' });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'] });
  const parts = { sandbox: await bed.gateway.sandboxes.isolates(), passCanceler: openPassCanceler(bed.gateway) };
  eager = startPassesEagerly(bed.gateway, parts, { graceMs: 0 });
});
afterAll(async () => {
  await eager?.stop();
  await bed?.close();
});

const gatewayWith = (orchestrator: Partial<Gateway['orchestrator']>): Gateway => ({
  ...bed.gateway,
  orchestrator: { ...bed.gateway.orchestrator, reachable: async () => {}, ...orchestrator },
});
const execute = (gateway: Gateway, code: string) =>
  executeCode(gateway, {
    server: { id: server.id, orgId: bed.orgId, workspaceId: bed.workspaceId, name: 'Code', settings: {} },
    ...{ requestedBy: { type: 'api_key', id: 'key' }, endUserId: null, code },
  });
const away = () => Promise.reject(new GatewayError('UNAVAILABLE', 'Away.'));
const dueOf = async (id: string) => (await bed.patient('code_runs').where({ id }).first('workflow_due_at')).workflow_due_at;
const letTimePass = (id: string) =>
  bed
    .patient('code_runs')
    .where({ id })
    .update({ workflow_due_at: bed.patient.raw("now() - interval '1 minute'") });

const GATED = "return svc.hash_encode.hash({ text: 'x' })";

test('the caller of a run at a gate gets an answer, even if only the reconciliation can start the workflow', async () => {
  // The start waits for the run to reach its gate. On a busy machine, the start could come first.
  const atGate = async (id: string) => (await bed.patient('code_runs').where({ id }).first('status')).status === 'waiting';
  const awayAtGate = ({ codeRunId }: { codeRunId: string }) => until(() => atGate(codeRunId)).then(away);
  const { run, awaited } = await execute(gatewayWith({ startCodeRun: awayAtGate }), GATED);
  expect([run.status, awaited?.kind, await dueOf(run.id)]).toEqual(['waiting', 'required', expect.any(Date)]);

  const started: string[] = [];
  const gateway = gatewayWith({ startCodeRun: async ({ codeRunId }) => void started.push(codeRunId) });
  await startDueWorkflows(gateway);
  expect(started).toEqual([]); // the process that answered may still start the workflow
  await letTimePass(run.id);
  await expect(startDueWorkflows(gatewayWith({ startCodeRun: away }))).rejects.toThrow('Away.');
  await letTimePass(run.id);
  await Promise.all([startDueWorkflows(gateway), startDueWorkflows(gateway)]);
  expect([started, await dueOf(run.id)]).toEqual([[run.id], null]);
});

test('the answer for a run at a gate does not wait for the start of the workflow', async () => {
  const held = Promise.withResolvers<void>();
  const { run, awaited } = await execute(gatewayWith({ startCodeRun: () => held.promise }), GATED);
  expect([awaited?.kind, await dueOf(run.id)]).toEqual(['required', expect.any(Date)]);
  held.resolve();
  await until(async () => (await dueOf(run.id)) === null);
});

import { aReceiver } from '../../../support/receiver.ts';
import { aPolicy, aServer, aTenant } from '../../../support/tenant.ts';
import { GET_TASK, I, tasksAt } from './own-bed.ts';

test('the approval of a plan does not cover later versions of custom actions', async () => {
  const [tenant, thirdParty] = await Promise.all([aTenant(), aReceiver()]);
  thirdParty.answerWith(() => ({ status: 200, body: '{"id":"t1","title":"First"}' }));
  const { api } = tenant;
  const document = tasksAt(thirdParty.url);
  await api.must(201).post(`${I}/import`, { kind: 'declarative', name: 'own-tasks', document });
  const server = await aServer(tenant, 'CODE', ['own-tasks']);
  const execute = async (body: object) =>
    (await api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { waitForApprovalSeconds: 20, ...body })).structuredContent;
  const code = "return (await svc.own_tasks.get_task({ id: 'a' })).title";
  expect(await execute({ code })).toMatchObject({ status: 'executed', output: 'First' });

  await aPolicy(tenant, { workspaceId: tenant.workspaceId, integrationNames: ['own-tasks'] });
  const asked = await execute({ code, waitForApprovalSeconds: 0 });
  expect(asked.status).toBe('approval_required');
  const actions = { get_task: { ...GET_TASK, request: { path: '/all-tasks/{id}' } } };
  await api.must(200).post(`${I}/own-tasks/refresh`, { document: { ...document, actions }, accept: true });
  const approvalId = (asked.approvals?.[0] ?? asked.approval).id;
  await api.must(200).post(`/api/v1/approvals/${approvalId}/approve`);
  const before = thirdParty.received.length;
  const again = await execute({ approvalId, waitForApprovalSeconds: 5 });
  expect(['approval_required', 'approval_pending']).toContain(again.status);
  expect(thirdParty.received).toHaveLength(before);
  await thirdParty.close();
});

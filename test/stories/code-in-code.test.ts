import { aServer, aTenant } from '../support/tenant.ts';

test('a code run can call the integrations that run code', async () => {
  const tenant = await aTenant();
  const { id } = await aServer(tenant, 'CODE', ['code', 'advanced-code']);
  const code = `const double = await svc.code.run_code({ code: 'return inputs.n * 2', inputs: { n: 21 } });
    const failed = await svc.code.run_code({ code: 'null.x' }).catch((error) => error.code);
    const js = await svc.advanced_code.run_code({ language: 'javascript', code: 'return typeof svc' });
    return [double.result, failed, js.result];`;
  const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
  expect(structuredContent).toMatchObject({ status: 'executed', output: [42, 'ACTION_FAILED', 'undefined'], actionsExecuted: 3 });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { aReceiver } from '../support/receiver.ts';
import { startSystem } from '../support/system.ts';
import { aPolicy, aServer, aTenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

const SECRETS = /zq4711x|apr_link_v1_|svc_[A-Za-z0-9]{20}|mcp_[A-Za-z0-9]{20}/;

test('workflow histories and logs contain no input, output, code, token or link', async () => {
  const [own, upstream] = await Promise.all([startSystem({ env: { LOG_LEVEL: 'debug' } }), aReceiver()]);
  const tenant = await aTenant(own);
  upstream.answerWith(() => ({ status: 200, body: '{"answer":"secret-output-zq4711x"}' }));
  const server = await aServer(tenant, 'CODE', ['http', 'hash-encode']);
  await aPolicy(tenant, {
    integrationNames: ['http'],
    approvers: [{ type: 'webhook', webhookUrl: `${upstream.url}/hook-address-zq4711x` }],
  });
  const run = (body: object) => tenant.api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, body);
  const { structuredContent } = await run({
    code: `const marker = 'secret-code-zq4711x'; return svc.http.send_request({ method: 'POST', url: '${upstream.url}/secret-input-zq4711x', body_type: 'json', body: { marker } })`,
  });
  const approvalId: string = structuredContent.approval.id;
  await tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/approve`, { reason: 'secret-reason-zq4711x' });
  expect(JSON.stringify(await run({ approvalId }))).toContain('secret-output-zq4711x');

  const connection = await Connection.connect({ address: own.temporalAddress });
  const { workflow } = new Client({ connection });
  const query = `GatewayApprovals = "${approvalId}"`;
  const ids = await until(async () => {
    const found: string[] = [];
    for await (const { workflowId } of workflow.list({ query })) found.push(workflowId);
    return found.length === 2 && found;
  });
  expect(ids.sort()).toEqual([`approval/${approvalId}`, expect.stringMatching(/^code-run\/crun_/)]);
  for (const id of ids) {
    const history = JSON.stringify(JSON.parse(historyToJSON(await workflow.getHandle(id).fetchHistory())), readable);
    expect(history).toContain(approvalId);
    expect(history).not.toMatch(SECRETS);
  }
  await connection.close();

  await fetch(structuredContent.approval.hostedApprovalUrl);
  await Promise.all([own.api.stop(), own.worker.stop()]); // makes the logs complete
  const logs = ['api', 'worker'].map((name) => readFileSync(join(own.dataDir, 'logs', `${name}.log`), 'utf8'));
  expect(logs[0]).toContain(`/approve/${approvalId}`);
  for (const log of logs) expect(log).not.toMatch(SECRETS);
  await Promise.all([own.stop(), upstream.close()]);
});

function readable(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
}

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { issueOperatorCode } from '../../commands/approvals/operator-code.ts';
import { readConfig } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { openTokens } from '../../infra/tokens.ts';
import { embedTemporal, type TemporalPart } from '../../standalone/embedded-parts.ts';
import { freePort } from '../../standalone/free-port.ts';
import type { TemporalServer } from '../../standalone/temporal-server.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { type OwnSystem, startSystem, testEnvironment } from '../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../support/tenant.ts';
import { makeTestFolder } from '../support/test-bed.ts';
import { attacks, foreignHeads, NAMESPACE, send, statusOf, workflowPath } from './forged-requests.ts';

let dataDir: string;
let part: TemporalPart;
let server: TemporalServer;
let own: OwnSystem;
let connection: Connection;
let temporal: Client;
let db: Db;
let tenant: Tenant;
let approvalId: string;
let uiPort: number;

beforeAll(async () => {
  dataDir = makeTestFolder('gateway-doors-');
  const config = readConfig();
  const ports = { port: await freePort(21_000), uiPort: await freePort(22_000) };
  part = await embedTemporal(
    { ...config, temporal: { ...config.temporal, ...ports, address: undefined, uiUrl: undefined } },
    dataDir,
    () => {},
  );
  server = (await part.start!()) as TemporalServer;
  uiPort = Number(new URL(part.uiUrl()!).port);
  own = await startSystem({ env: { TEMPORAL_ADDRESS: part.address() } });
  connection = await Connection.connect({ address: part.address() });
  temporal = new Client({ connection });
  db = patientDatabase(own.databaseUrl);
  tenant = await aTenant(own);
  await aPolicy(tenant, { integrationNames: ['datetime'] });
  const call = {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  };
  approvalId = (await tenant.api.must(202).post('/api/v1/actions/execute', call)).approval.id;
}, 180_000);
afterAll(async () => {
  await db?.destroy();
  await connection?.close();
  await own?.stop();
  await part?.close();
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function portsOf(pid: number): number[] {
  const inodes = execFileSync('sh', ['-c', `ls -l /proc/${pid}/fd`]).toString();
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === '0A' && inodes.includes(`socket:[${inode}]`) ? [Number.parseInt(local!.split(':')[1]!, 16)] : [];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: read field by field, as the UI does
type Answer = any;

async function stateOfApproval() {
  const workflow = temporal.workflow.getHandle(`approval/${approvalId}`);
  const { status } = await workflow.describe();
  const { events } = await workflow.fetchHistory();
  const told = (events ?? []).filter(
    (event) => event.workflowExecutionSignaledEventAttributes ?? event.workflowExecutionCancelRequestedEventAttributes,
  );
  const { status: approval } = await db('approvals').where({ id: approvalId }).first('status');
  return { workflow: status.name, told: told.length, approval, workflows: (await temporal.workflow.count()).count };
}

test('no port of Temporal accepts requests that a page of another origin can send', async () => {
  const ports = [...new Set([...portsOf(server.pid), uiPort])];
  expect(ports).toEqual(expect.arrayContaining(part.ports()));
  const heard: string[] = [];
  for (const port of ports)
    await Promise.all(
      foreignHeads(port).flatMap(([name, target, head]) =>
        attacks(approvalId, own.taskQueue).map(async ([method, path, body]) => {
          const json = body ? JSON.stringify(body) : '';
          const lines = [`${method} ${target(path)} HTTP/1.1`, ...head, `Content-Length: ${json.length}`, 'Connection: close', '', json];
          const isVisit = method === 'GET' && name === 'Sec-Fetch-Site none';
          const status = statusOf(await send(port, lines.join('\r\n')));
          if (status >= 200 && status < 300 && !isVisit) heard.push(`${port} ${name}: ${method} ${path} ${status}`);
        }),
      ),
    );
  expect(heard).toEqual([]);
  expect(await stateOfApproval()).toEqual({ workflow: 'RUNNING', told: 0, approval: 'pending', workflows: 1 });
}, 180_000);

test('the UI cannot be framed or read by another page', async () => {
  const page = await fetch(part.uiUrl()!);
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'x-frame-options': 'DENY',
    'content-security-policy': "frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  });
  const preflight = await fetch(`${part.uiUrl()}${NAMESPACE}/workflows`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('requests of the UI work, and requests without an origin change nothing', async () => {
  const headers = { origin: part.uiUrl()! };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${part.uiUrl()}${path}`, { headers, ...init });
    return { status: answer.status, body: (await answer.json()) as Answer };
  };
  expect(await ask(workflowPath(approvalId))).toMatchObject({
    status: 200,
    body: { workflowExecutionInfo: { execution: { workflowId: `approval/${approvalId}` }, status: 'WORKFLOW_EXECUTION_STATUS_RUNNING' } },
  });
  const { body } = await ask(`${workflowPath(approvalId)}/history?maximumPageSize=1`);
  expect(body.history.events[0].workflowExecutionStartedEventAttributes.input.payloads[0].metadata).toEqual({
    encoding: 'anNvbi9wbGFpbg==',
  });
  expect(body.nextPageToken).toEqual(expect.any(String));
  const second = await ask(`${workflowPath(approvalId)}/history?maximumPageSize=1&nextPageToken=${encodeURIComponent(body.nextPageToken)}`);
  expect(second.body.history.events[0].eventId).not.toBe('1');
  expect(await ask(workflowPath('none'))).toMatchObject({ status: 404, body: { code: 5 } });
  expect(await ask('/api/v1/nothing')).toMatchObject({ status: 404 });
  expect(await ask(`${workflowPath(approvalId)}/signal/x`, { method: 'POST', body: '{' })).toMatchObject({ status: 400 });
  expect(await ask(`${workflowPath(approvalId)}/signal/reject`, { method: 'POST', body: '{}', headers: {} })).toMatchObject({
    status: 403,
  });
  expect((await stateOfApproval()).approval).toBe('pending');
});

if (browserPath)
  test("in a browser, the UI's own signal approves, and a foreign page changes nothing", async () => {
    const tokens = openTokens((await testEnvironment()).TOKEN_PEPPER!);
    const code = await issueOperatorCode({ db, tokens }, { approvalId, userId: null, madeBy: 'root' });
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
      await page.goto(`${part.uiUrl()}/namespaces/default/workflows/${encodeURIComponent(`approval/${approvalId}`)}`);
      await page.getByText('State Transitions').first().waitFor();
      const data = Buffer.from(JSON.stringify({ code, reason: 'looked at it' })).toString('base64');
      const body = JSON.stringify({ input: { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data }] } });
      const url = `${part.uiUrl()}${workflowPath(approvalId)}/signal/approve`;
      // Sends what the UI's form sends: text/plain, the browser's default for text.
      const post = `fetch(${JSON.stringify(url)}, { method: 'POST', mode: 'MODE', body: ${JSON.stringify(body)} })`;
      const elsewhere = await browser.newPage();
      await elsewhere.goto(`${own.apiUrl}/docs`);
      await elsewhere.evaluate(`${post.replace('MODE', 'no-cors')}.catch(() => undefined).then(() => 1)`);
      expect((await stateOfApproval()).told).toBe(0);
      expect(await page.evaluate(`${post.replace('MODE', 'cors')}.then(({ status }) => status)`)).toBe(200);
      expect(await temporal.workflow.getHandle(`approval/${approvalId}`).result()).toBe('approved');
      expect(await db('approvals').where({ id: approvalId }).first('decided_by_type', 'decision_reason')).toEqual({
        ...{ decided_by_type: 'operator', decision_reason: 'looked at it' },
      });
    } finally {
      await browser.close();
    }
  });

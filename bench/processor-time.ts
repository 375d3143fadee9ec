import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestBed } from '../test/support/test-bed.ts';
import { openServer } from './open-server.ts';
import { treeOf } from './processes.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

const OPERATIONS = 300;
const AT_ONCE = 8;
/** The work after an answer ends in this time: workflows, webhooks, records. */
const SETTLING_MS = 2000;
const PARTS = ['api', 'worker', 'runner', 'postgres', 'temporal'] as const;
type Part = (typeof PARTS)[number];

/**
 * node bench/processor-time.ts [WORD…]: processor time in ms of one operation, for each part of the
 * service. WORD: measures only operations whose name contains one of the words.
 */
await report(
  async (bed) => {
    console.table(await processorTimes(bed));
    return [];
  },
  { durable: true },
);

async function processorTimes(bed: TestBed): Promise<Record<string, Record<string, string>>> {
  const webhook = await startReference('receiver.ts');
  try {
    return await measureAll(bed, webhook.origin);
  } finally {
    webhook.stop();
  }
}

async function measureAll(bed: TestBed, webhookUrl: string): Promise<Record<string, Record<string, string>>> {
  const tools = await openServer(bed, { mode: 'TOOLS', integrations: ['hash-encode', 'datetime'] });
  const code = await openServer(bed, { mode: 'CODE', integrations: ['hash-encode'] });
  const { workspaceId, post } = tools;
  const approvers = [{ type: 'webhook', webhookUrl: `${webhookUrl}/` }];
  await post('/approval-policies', { name: 'Hashes', workspaceId, actionNames: ['hash'], riskMode: 'always', approvers });
  const get = async (path: string) => {
    const answer = await fetch(`${tools.apiUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${tools.key}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    await answer.text();
  };
  const run = async (program: string, status = 'executed') => {
    const { structuredContent } = await code.post(`/mcp/servers/${code.serverId}/execute-code`, { code: program });
    if (structuredContent?.status !== status) throw new Error(`not ${status}: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  };
  await code.post('/approval-policies', { name: 'Ids', workspaceId: code.workspaceId, actionNames: ['generate_uuid'], riskMode: 'always' });
  const operations: Record<string, () => Promise<unknown>> = {
    'GET a workspace': () => get(`/workspaces/${workspaceId}`),
    'create an end user': () => post('/end-users', { workspaceId, externalId: randomUUID() }),
    'tools/call': async () => {
      const call = { name: 'datetime__parse_date', arguments: { dateString: '2026-03-05T10:00:00Z' } };
      const answer = await fetch(`${tools.apiUrl}/mcp/srv_${tools.serverId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tools.token}`, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      });
      if (!(await answer.text()).includes('2026-03-05')) throw new Error('tools/call failed');
    },
    'ask for an approval and decide it': async () => {
      const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: randomUUID() } };
      const { approval } = await post('/actions/execute', call);
      await post(`/approvals/${approval.id}/approve`, {});
    },
    'GET /approvals, 50 of them': () => get('/approvals'),
    'run of `return 1`': () => run('return 1'),
    'run of ten calls': () => run("for (let i = 0; i < 10; i += 1) await svc.hash_encode.hash({ text: 'x' })"),
    'run that pauses, its decision and its answer': async () => {
      const { approval } = await run('return await svc.hash_encode.generate_uuid({})', 'approval_required');
      await code.post(`/approvals/${approval.id}/approve`, {});
      await code.post(`/mcp/servers/${code.serverId}/execute-code`, { approvalId: approval.id, waitForApprovalSeconds: 20 });
    },
  };
  const only = process.argv.slice(2);
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    await times(OPERATIONS / 3, operation);
    await delay(SETTLING_MS);
    const before = spentMs();
    await times(OPERATIONS, operation);
    await delay(SETTLING_MS);
    const after = spentMs();
    const each = PARTS.map((part) => [part, (after[part] - before[part]) / OPERATIONS] as const);
    const all = each.reduce((sum, [, ms]) => sum + ms, 0);
    rows[name] = Object.fromEntries([...each, ['all', all] as const].map(([part, ms]) => [part, ms.toFixed(2)]));
    console.log(name, rows[name]);
  }
  return rows;
}

async function times(count: number, operation: () => Promise<unknown>): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await operation();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

/** Processor time of each part, including ended children. */
function spentMs(): Record<Part, number> {
  const spent = { api: 0, worker: 0, runner: 0, postgres: 0, temporal: 0 };
  const partOf = new Map<number, Part>();
  for (const { pid, parent, ms, endedMs, command } of treeOf(process.pid)) {
    const above = partOf.get(parent);
    const part = partIn(command) ?? (above && below(above));
    if (!part) continue;
    partOf.set(pid, part);
    spent[part] += ms;
    spent[below(part)] += endedMs;
  }
  return spent;
}

function below(part: Part): Part {
  return part === 'worker' || part === 'api' ? 'runner' : part;
}

function partIn(command: string): Part | undefined {
  if (command.includes('/api/main.ts')) return 'api';
  if (command.includes('/worker/main.ts')) return 'worker';
  if (command.includes('start-dev')) return 'temporal';
  return command.includes('postgres -D') ? 'postgres' : undefined;
}

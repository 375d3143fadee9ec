import { openDatabase } from '../infra/database.ts';
import { addManyTools } from '../test/support/many-tools.ts';
import type { TestBed } from '../test/support/test-bed.ts';
import { type Bar, inTurns, rateBar } from './bar.ts';
import { load, type Target } from './load.ts';
import { openServer } from './open-server.ts';
import { report } from './report.ts';
import { startReference } from './start-reference.ts';

const TOOLS = 2000;
const CONNECTIONS = 16;

/**
 * node bench/many-tools.ts: bars 4 and 5: a tool call and the tool list of a server with 2,000
 * tools.
 */
await report(manyToolsBars);

async function manyToolsBars(bed: TestBed): Promise<Bar[]> {
  const [few, many] = [
    await openServer(bed, { mode: 'TOOLS', integrations: ['datetime'] }),
    await openServer(bed, { mode: 'TOOLS', integrations: ['datetime'] }),
  ];
  const db = openDatabase({ url: (await bed.system()).databaseUrl, name: 'bench', maxConnections: 1 });
  const { org_id: orgId } = await db('mcp_servers').where({ id: many.serverId }).first('org_id');
  await addManyTools(db, { orgId, workspaceId: many.workspaceId, serverId: many.serverId }, TOOLS).finally(() => db.destroy());

  const request = (method: string, params: object) => () => ({ jsonrpc: '2.0', id: 1, method, params });
  const call = request('tools/call', { name: 'datetime__parse_date', arguments: { dateString: '2026-03-05T10:00:00Z' } });
  const on = ({ apiUrl, serverId, token }: typeof few): Target => ({
    ...{ origin: apiUrl, token, method: 'POST', path: `/mcp/srv_${serverId}` },
    ...{ body: call, answers: '2026-03-05' },
  });
  const calls = await inTurns(
    () => load(on(many), CONNECTIONS),
    () => load(on(few), CONNECTIONS),
  );
  const list: Target = { ...on(many), body: request('tools/list', {}), answers: '"tools"' };
  const reference = await startReference('ready-json.ts', { bytes: await sizeOf(list) });
  try {
    const bare: Target = { ...list, origin: reference.origin, path: '/', token: 'none' };
    const lists = await inTurns(
      () => load(list, 1),
      () => load(bare, 1),
    );
    return [rateBar('4 tools/call with 2,000 tools against 10', 0.9, calls), rateBar('5 tools/list of 2,000 tools', 0.8, lists)];
  } finally {
    reference.stop();
  }
}

async function sizeOf({ origin, path, token, body }: Target): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  return (await (await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body!()) })).text()).length;
}

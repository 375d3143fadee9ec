import { readDeclarations } from '../commands/catalogue/read-declarations.ts';
import { searchActions } from '../commands/catalogue/search-actions.ts';
import { policySet } from '../domain/policies/policy-set.ts';
import { aSurface } from '../test/support/a-surface.ts';
import { largeCatalog } from '../test/support/large-catalog.ts';
import { addManyTools } from '../test/support/many-tools.ts';
import { patientDatabase } from '../test/support/patient-database.ts';
import { openTestBed } from '../test/support/test-bed.ts';
import { median } from './bar.ts';
import { openServer } from './open-server.ts';

/** node bench/search.ts: the time of svc_search among 10,000 actions, in process and over MCP. */
const ACTIONS = 10_000;
const ROUNDS = 200;
const GOAL_MS = 5;
const QUERIES = {
  'one word that 2,000 actions have': 'create',
  'a sentence': 'list all the orders of a customer by their status',
  'mistyped, two words': 'serach isues on gihub',
  'words that no action has': 'xyzzyq plughqq frotzz gnusto rezrov',
  'thirty words': Array.from({ length: 30 }, (_, n) => `wrod${n}`).join(' '),
  nothing: '',
};

interface Row {
  'p50 ms': string;
  'p99 ms': string;
  goal: string;
}

const rows: Record<string, Row> = { ...inProcess(), ...(await overMcp()) };
console.table(rows);

function inProcess(): Record<string, Row> {
  const catalog = largeCatalog(ACTIONS);
  const surface = aSurface(catalog);
  const reader = { workspaceId: 'w', mcpServerId: 's', endUserId: null, policies: policySet([]), connections: [] };
  const search = (query: string) => searchActions(catalog, surface, reader, { query });
  const building = timed(() => search('create'));
  const found = Object.entries(QUERIES).map(([what, query]) => {
    const times = Array.from({ length: ROUNDS }, () => timed(() => search(query)));
    return [`search: ${what}`, row(times, `< ${GOAL_MS}`)] as const;
  });
  const large = wideSurface();
  const read = Array.from({ length: 5 }, () => timed(() => readDeclarations(catalog, large, { aliases: ['wide'], detail: 'full' })));
  return {
    [`the index of ${surface.tools.length.toLocaleString('en')} actions, once`]: row([building], ''),
    ...Object.fromEntries(found),
    'declarations of one alias of 2,000 actions': row(read, ''),
  };

  function wideSurface() {
    const tools = surface.tools.slice(0, 2000);
    const actions = { wide: tools.map(({ alias, actionName }) => `${alias}_${actionName}`) };
    const byName = new Map(tools.map((tool, n) => [actions.wide[n]!, { ...tool, alias: 'wide', actionName: actions.wide[n]! }]));
    return { ...surface, actions, find: (_: string, name: string) => byName.get(name) };
  }
}

async function overMcp(): Promise<Record<string, Row>> {
  const { bed, close } = openTestBed();
  try {
    const { apiUrl, serverId, token } = await openServer(bed, { mode: 'CODE', integrations: [] });
    const db = patientDatabase((await bed.system()).databaseUrl);
    const server = await db('mcp_servers').where({ id: serverId }).first();
    await addManyTools(db, { orgId: server.org_id, workspaceId: server.workspace_id, serverId }, ACTIONS).finally(() => db.destroy());
    const call = async (name: string, input: object) => {
      const startedAt = performance.now();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
      const answer = (await (await fetch(`${apiUrl}/mcp/srv_${serverId}`, { method: 'POST', headers, body })).json()) as {
        result: { isError: boolean };
      };
      if (answer.result.isError !== false) throw new Error(JSON.stringify(answer));
      return performance.now() - startedAt;
    };
    const first = await call('svc_search', { query: 'send a message' });
    const [searches, reads] = [[] as number[], [] as number[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      searches.push(await call('svc_search', { query: 'send a mesage to a channel' }));
      reads.push(await call('svc_read_api', { alias: 'github-7', detail: 'full' }));
    }
    return {
      'over MCP: the first search, which loads the tools': row([first], ''),
      'over MCP: a search': row(searches, ''),
      'over MCP: declarations of one alias of ten actions': row(reads, ''),
    };
  } finally {
    await close();
  }
}

function timed(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function row(times: number[], goal: string): Row {
  const sorted = times.toSorted((a, b) => a - b);
  return { 'p50 ms': median(times).toFixed(2), 'p99 ms': sorted[Math.floor(sorted.length * 0.99)]!.toFixed(2), goal };
}

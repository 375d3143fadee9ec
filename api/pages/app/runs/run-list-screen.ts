import { CODE_RUN_STATUSES } from '../../../../domain/code-run.ts';
import { PAGE } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { type CodeRunNames, type ListedCodeRun, listCodeRunNames, listCodeRuns } from '../../../../store/code-run-history.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { cursorsOf } from '../../../cursor.ts';
import { codeRunId } from '../../../v1/code-runs/schema.ts';
import { RUN_STATES } from '../../code-run/describe-run.ts';
import { showSeconds } from '../../code-run/show-seconds.ts';
import { type Cell, type Filter, listView, readFilter, timeCell } from '../list.ts';
import type { Screen, Visit } from '../screen.ts';
import { serverNames } from '../servers/server-names.ts';

const ANY = { value: '', label: 'Any' };
const STATUS: Filter = {
  label: 'Status',
  options: [ANY, ...CODE_RUN_STATUSES.map((value) => ({ value, label: RUN_STATES[value].label }))],
};
/** Maximum number of servers in the filter. The oldest come first. */
const MAX_SERVERS = 500;

const cursors = cursorsOf('code runs of the dashboard', codeRunId);

/** `/app/runs`: the code runs of the organization, the newest first. */
export const runListScreen: Screen = {
  path: '/runs',
  role: 'viewer',
  navigation: 'Code runs',
  get: async (visit) => {
    const { gateway, member, query, workspaceId } = visit;
    const server = await serverFilter(visit);
    const filter = { workspaceId, status: readFilter(query, STATUS) || undefined, mcpServerId: readFilter(query, server) || undefined };
    const scope = { orgId: member.orgId, filter };
    const cursor = query.get('page');
    const after = cursor === null ? undefined : cursors.read(gateway.tokens, scope, cursor);
    const { workspaceId: _, ...matching } = { ...filter, orgId: member.orgId, ...(workspaceId && { workspaceIds: [workspaceId] }) };
    const { items, next } = await listCodeRuns(gateway.db, matching, { limit: PAGE.default, after });
    const names = await listCodeRunNames(
      gateway.db,
      items.map(({ id }) => id),
    );
    const byId = new Map(names.map((named) => [named.id, named]));
    const list = listView(visit, {
      ...{ name: 'Code runs', plural: 'code runs', about: 'A code run begins when an agent runs a program through a server in Code Mode.' },
      empty: hasRole(member.role, 'admin') ? { link: { href: '/playground/program', label: 'Write a program' } } : undefined,
      columns: ['Run', 'Server', 'Status', 'Started', 'Calls', 'Running time'],
      filters: [STATUS, server],
      rows: items.map((run) => cellsOf(run, byId.get(run.id))),
      live: { topic: 'runs', one: 'run', many: 'runs' },
      nextPage: next ? cursors.write(gateway.tokens, scope, next) : undefined,
    });
    return { title: 'Code runs', template: 'layout/list-page', data: { title: 'Code runs', list } };
  },
};

async function serverFilter(visit: Visit): Promise<Filter> {
  const { gateway, member, workspaceId } = visit;
  const filter = { orgId: member.orgId, includeSuspended: true, ...(workspaceId && { workspaceIds: [workspaceId] }) };
  const { items } = await listMcpServers(gateway.db, filter, { limit: MAX_SERVERS, offset: 0 });
  const names = await serverNames(
    visit,
    items.filter(({ mode }) => mode === 'CODE'),
  );
  return { label: 'Server', options: [ANY, ...[...names].map(([value, label]) => ({ value, label }))] };
}

function cellsOf({ id, endUserId, status, createdAt, runningMs }: ListedCodeRun, names: CodeRunNames | undefined): Cell[] {
  const { label, tone } = RUN_STATES[status];
  return [
    { href: `/runs/${id}`, text: id, ...(endUserId !== null && { hint: `for ${endUserId}` }) },
    { text: names?.serverName ?? 'A deleted server', hint: `in ${names?.workspaceName ?? 'a deleted workspace'}` },
    { state: label, tone },
    timeCell(createdAt),
    String(names?.calls ?? 0),
    showSeconds(runningMs),
  ];
}

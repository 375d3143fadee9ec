import { surfaceWords } from '../../../../commands/catalogue/surface-words.ts';
import { executeCode } from '../../../../commands/code-runs/execute-code.ts';
import { checkProgram } from '../../../../commands/code-runs/plan/check-program.ts';
import { getCodeServer } from '../../../../commands/mcp-servers/get-code-server.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { CODE_RUN } from '../../../../domain/limits.ts';
import type { McpServer } from '../../../../domain/mcp-server.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listMcpServers } from '../../../../store/mcp-servers.ts';
import { found } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { executeCodeRequest } from '../../../v1/mcp/servers/execute-code/schema.ts';
import { assets } from '../assets.ts';
import { formView, type Refusal } from '../form.ts';
import type { AppPage, Screen, Submission, Visit } from '../screen.ts';
import { serverNames } from '../servers/server-names.ts';
import { checkView } from './check-view.ts';
import { type RunResultView, runErrorResult, runResult } from './run-result.ts';
import { waitSecondsOf } from './wait-seconds.ts';

const PATH = '/playground/program';

/** Path of the names that the editor completes, for the MCP server in `?server=`. */
export const WORDS = `${PATH}/words`;

/** `/playground/program`: checks and runs a program on an MCP server in mode CODE. */
export const programScreens: readonly Screen[] = [
  {
    ...{ path: PATH, role: 'admin', navigation: 'Playground', formMaxBytes: 4 * CODE_RUN.codeMaxBytes },
    get: async (visit) => programPage(visit, { serverId: visit.query.get('server') ?? '', code: '' }),
    post: async (visit) => {
      const { form } = visit;
      const serverId = form.get('server') ?? '';
      const code = (form.get('code') ?? '').replaceAll('\r\n', '\n');
      const typed = { serverId, code };
      const problem = problemOf(typed);
      if (problem) return programPage(visit, { ...typed, refusal: problem });
      const server = await getCodeServer(visit.gateway, visit.principal, found(uuid.safeParse(serverId).data)).catch(refusedServer);
      if ('status' in server) return programPage(visit, { ...typed, refusal: server });
      switch (form.get('act')) {
        case 'run':
          return programPage(visit, { ...typed, result: await execute(visit, server, { code }) });
        case 'resume':
          return resume(visit, server, typed);
        default:
          return programPage(visit, { ...typed, check: checkView(await checkProgram(visit.gateway, visit.principal, server, code)) });
      }
    },
  },
  {
    ...{ path: WORDS, role: 'admin', navigation: 'Playground' },
    get: async ({ gateway, principal, query }) => {
      const { id: serverId, orgId, workspaceId } = await getCodeServer(gateway, principal, found(uuid.safeParse(query.get('server')).data));
      const words = surfaceWords(await gateway.surfaces.of({ serverId, orgId, workspaceId }));
      return { fileName: 'words.json', type: 'application/json', content: once(JSON.stringify(words)) };
    },
  },
];

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

interface Typed {
  serverId: string;
  code: string;
}

function problemOf({ serverId, code }: Typed): Refusal | undefined {
  const problems: Record<string, string> = {};
  if (serverId === '') problems.server = 'is missing';
  const checked = executeCodeRequest.safeParse({ code });
  if (!checked.success) problems.code = code === '' ? 'is missing' : checked.error.issues[0]!.message;
  return Object.keys(problems).length > 0 ? { status: 400, lead: 'Nothing ran.', problems } : undefined;
}

function refusedServer(error: unknown): Refusal {
  const isRefusal = error instanceof GatewayError && ['SERVER_SUSPENDED', 'MCP_CODE_MODE_REQUIRED'].includes(error.code);
  if (!isRefusal) throw error;
  return { status: 400, lead: 'Nothing ran.', sentence: error.message };
}

/** Returns errors of the program as results. */
async function execute(
  { gateway, principal }: Visit,
  server: McpServer,
  what: { code: string } | { approvalId: string; waitForApprovalSeconds: number },
): Promise<RunResultView> {
  try {
    const caller = { server, requestedBy: actorOf(principal), endUserId: server.endUserExternalId };
    return runResult(await executeCode(gateway, { ...caller, ...what }));
  } catch (error) {
    const isResult = error instanceof GatewayError && (error.status < 500 || error.details?.codeRunId !== undefined);
    if (!isResult) throw error;
    return runErrorResult(error);
  }
}

async function resume(visit: Submission, server: McpServer, typed: Typed): Promise<AppPage> {
  const approvalId = visit.form.get('approval') ?? '';
  const result = await execute(visit, server, { approvalId, waitForApprovalSeconds: waitSecondsOf(visit.form) });
  return programPage(visit, { ...typed, result });
}

interface State extends Typed {
  refusal?: Refusal;
  check?: ReturnType<typeof checkView>;
  result?: RunResultView;
}

/** If an organization has more, the member selects a workspace in the banner. */
const MAX_SERVERS = 500;

async function programPage(visit: Visit, { serverId, code, refusal, check, result }: State): Promise<AppPage> {
  const { gateway, member, workspaceId, root } = visit;
  const filter = { orgId: member.orgId, workspaceIds: workspaceId === undefined ? undefined : [workspaceId], includeSuspended: false };
  const { items } = await listMcpServers(gateway.db, filter, { limit: MAX_SERVERS, offset: 0 });
  const names = await serverNames(
    visit,
    items.filter(({ mode }) => mode === 'CODE'),
  );
  const servers = [...names].map(([value, label]) => ({ value, label }));
  const only = servers.length === 1 ? servers[0]!.value : '';
  const form = formView(
    {
      ...{ title: '', button: 'Run program' },
      fields: [
        { name: 'server', label: 'Server', kind: 'select', options: [{ value: '', label: 'Choose a server' }, ...servers] },
        {
          name: 'code',
          label: 'Program',
          kind: 'textarea',
          hint: 'JavaScript. Call actions as await svc.<alias>.<action>(input), and return what you need.',
        },
      ],
    },
    new URLSearchParams({ server: serverId || only, code }),
    refusal,
  );
  const { pathOf } = await assets();
  return {
    ...{ title: 'Write a program', template: 'playground/program', status: refusal?.status ?? 200 },
    // Programs and outputs may hold secrets.
    hasSecret: result !== undefined,
    data: {
      ...{ form, check, result, serverId, code, hasServers: servers.length > 0, action: root + PATH + visit.ctx.search },
      editor: root + pathOf('editor.js'),
      words: root + WORDS,
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { isFinished } from '../../domain/code-run.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import { whileDatabaseUnavailable } from '../../infra/database.ts';
import { decodePayload } from '../../store/payload.ts';
import type { ApiAnswer } from '../support/caller.ts';
import { ServerFault } from './persistent-caller.ts';
import { codeOf, type Program } from './programs/program.ts';
import type { RunScene } from './run-scene.ts';

/** One run of a program, and the answers that its caller received. */
export interface RunCase {
  /** Part of the code and of every request, so that the third party can count requests by run. */
  name: string;
  program: Program;
  title: string;
  startedAt: number;
  codeRunId?: string;
  /** The last answer of execute-code. Undefined if no answer arrived. */
  heard?: ApiAnswer['body'];
}

/**
 * Plays the caller and the reviewers until the run has ended. If the answer to a start was lost,
 * the caller repeats the start only if no run exists.
 */
export async function playCaller(scene: RunScene, one: RunCase): Promise<void> {
  let answer = await begin(scene, one);
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    if (answer) one.heard = answer;
    const pending = answer ? pendingOf(answer) : await lookForGate(scene, one);
    if (pending?.length === 0) return;
    answer = pending ? await decideAndContinue(scene, one, pending, turn) : await begin(scene, one);
  }
  throw new Error('asked for approval again and again');
}

const MOST_TURNS = 12;
/**
 * Maximum time from the last kill of any process until a run ends or reaches a gate. A kill can
 * delay every run.
 */
const PATIENCE_MS = 150_000;

/** Starts the run. Returns undefined if the run exists and its answer is missing. */
async function begin(scene: RunScene, one: RunCase): Promise<ApiAnswer['body'] | undefined> {
  const path = `/api/v1/mcp/servers/${scene.serverId}/execute-code`;
  const code = codeOf(one.program, scene.world.urlOf(one.name));
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(100)) {
    const answer = await scene.api.post(path, { code }).catch(() => undefined);
    if (answer?.status === 200) return answer.body;
    // The run was started, and the API cannot read the run at the moment.
    if (answer?.body?.details?.codeRunId) {
      one.codeRunId = answer.body.details.codeRunId;
      return undefined;
    }
    if (answer && answer.status !== 503) throw new ServerFault(`execute-code answered ${answer.status} ${JSON.stringify(answer.body)}`);
    if (!answer && (await isThere(scene, one))) return undefined;
  }
  throw new ServerFault('execute-code got no answer');
}

async function isThere(scene: RunScene, one: RunCase): Promise<boolean> {
  await scene.system.ready();
  const [run] = await retry(whileDatabaseUnavailable(AbortSignal.timeout(PATIENCE_MS)), () => runsOf(scene, one));
  one.codeRunId = run?.id;
  return one.codeRunId !== undefined;
}

interface RunRow {
  id: string;
  status: string;
}

/** Every run of this case's code. */
export async function runsOf(scene: RunScene, { name, startedAt }: RunCase): Promise<RunRow[]> {
  const since = new Date(startedAt - 1000);
  const rows = await scene.system
    .db('code_runs')
    .where({ mcp_server_id: scene.serverId })
    .where('created_at', '>', since)
    .select('id', 'status', 'code');
  return rows.filter(({ code }) => decodePayload<string>(code).includes(name));
}

function pendingOf({ structuredContent }: ApiAnswer['body']): string[] {
  const { status, approval, approvals } = structuredContent;
  if (status !== 'approval_required' && status !== 'approval_pending') return [];
  const all: { id: string }[] = approvals ?? [approval];
  return all.map(({ id }) => id);
}

/**
 * Returns the approvals that the run waits for. Empty if the run has ended, undefined if the run
 * was deleted.
 */
async function lookForGate({ system, kills }: RunScene, { codeRunId }: RunCase): Promise<string[] | undefined> {
  const from = Date.now();
  for (; Date.now() < Math.max(from, kills.at(-1)?.at ?? 0) + PATIENCE_MS; await delay(200)) {
    const look = async () => {
      const run = await system.db('code_runs').where({ id: codeRunId! }).first('status');
      if (!run) return 'gone';
      if (isFinished(run.status)) return [];
      if (run.status !== 'waiting') return undefined;
      const open: string[] = await system
        .db('approvals')
        .where({ code_run_id: codeRunId! })
        .whereIn('status', ['pending', 'approved'])
        .pluck('id');
      // A waiting run without such approvals ends or continues soon.
      return open.length > 0 ? open : undefined;
    };
    const asked = await look().catch(() => undefined);
    if (asked) return asked === 'gone' ? undefined : asked;
  }
  const left = await system.db('code_runs').where({ id: codeRunId! }).first('status', 'pass_number', 'leased_until', 'workflow_due_at');
  throw new Error(`${codeRunId} is still running: ${JSON.stringify(left)}`);
}

/** In every second turn, the continuation is sent first and waits for the decisions. */
async function decideAndContinue(scene: RunScene, { program }: RunCase, approvalIds: string[], turn: number): Promise<ApiAnswer['body']> {
  const decide = async (id: string) => {
    const { status, body } = await scene.caller.post(`/api/v1/approvals/${id}/${program.decision ?? 'approve'}`, {});
    if (status !== 200 && status !== 409) throw new Error(`the decision was answered ${status} ${JSON.stringify(body)}`);
  };
  const goOn = async (waitForApprovalSeconds: number) => {
    const path = `/api/v1/mcp/servers/${scene.serverId}/execute-code`;
    const { status, body } = await scene.caller.post(path, { approvalId: approvalIds.at(-1), waitForApprovalSeconds });
    if (status !== 200) throw new Error(`the continuation was answered ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const waiting = turn % 2 === 1 ? goOn(20) : undefined;
  waiting?.catch(() => {});
  await Promise.all(approvalIds.map(decide));
  return waiting ?? goOn(0);
}

import { setTimeout as delay } from 'node:timers/promises';
import { isFinished } from '../../domain/code-run.ts';
import { decodePayload } from '../../store/payload.ts';
import type { ApiAnswer } from '../support/caller.ts';
import { ServerFault } from './persistent-caller.ts';
import { codeOf, type Program } from './programs/program.ts';
import type { RunScene } from './run-scene.ts';

/** One run of a program, and what its caller heard. */
export interface RunCase {
  /** How the third party knows it. */
  name: string;
  program: Program;
  /** What was killed where. */
  story: string;
  startedAt: number;
  codeRunId?: string;
  /** The last answer of execute-code; undefined where the first one was lost and nothing asked for a continuation. */
  heard?: ApiAnswer['body'];
}

/**
 * Plays a caller and the people who decide, until the run has ended. A call that is continued is repeated until it is answered. One that begins a run
 * is repeated after a 503 that names no run, and where there is no such run; where its answer was lost and there is one, that is what the caller goes on with.
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
const PATIENCE_MS = 150_000;

/** The answer, or undefined where it was lost and the run is there. */
async function begin(scene: RunScene, one: RunCase): Promise<ApiAnswer['body'] | undefined> {
  const path = `/api/v1/mcp/servers/${scene.serverId}/execute-code`;
  const code = codeOf(one.program, scene.world.urlOf(one.name));
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(100)) {
    const answer = await scene.api.post(path, { code }).catch(() => undefined);
    if (answer?.status === 200) return answer.body;
    // It was begun, and cannot be read right now.
    if (answer?.body?.details?.codeRunId) {
      one.codeRunId = answer.body.details.codeRunId;
      return undefined;
    }
    if (answer && answer.status !== 503) throw new ServerFault(`execute-code answered ${answer.status} ${JSON.stringify(answer.body)}`);
    if (!answer && (await isThere(scene, one))) return undefined;
  }
  throw new ServerFault('execute-code got no answer');
}

/** As a caller looks at its runs after an answer was lost. */
async function isThere(scene: RunScene, one: RunCase): Promise<boolean> {
  await scene.system.ready();
  one.codeRunId = (await runsOf(scene, one))[0]?.id;
  return one.codeRunId !== undefined;
}

interface RunRow {
  id: string;
  status: string;
}

/** Every run of the code of a case. */
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

/** Waits until a run has ended or asks for something: what it asks for; undefined where it was taken back, because it never began. */
async function lookForGate({ system }: RunScene, { codeRunId }: RunCase): Promise<string[] | undefined> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(200)) {
    const look = async () => {
      const run = await system.db('code_runs').where({ id: codeRunId! }).first('status');
      if (!run) return 'gone';
      if (isFinished(run.status)) return [];
      if (run.status !== 'waiting') return undefined;
      return system.db('approvals').where({ code_run_id: codeRunId! }).whereIn('status', ['pending', 'approved']).pluck('id');
    };
    const asked = await look().catch(() => undefined);
    if (asked) return asked === 'gone' ? undefined : asked;
  }
  throw new Error(`${codeRunId} goes on running`);
}

/** In every other turn the continuation is there before the decisions are, and waits for them. */
async function decideAndContinue(scene: RunScene, { program }: RunCase, approvalIds: string[], turn: number): Promise<ApiAnswer['body']> {
  const decide = async (id: string) => {
    const { status, body } = await scene.caller.post(`/api/v1/approvals/${id}/${program.decision ?? 'approve'}`, {});
    if (status !== 200 && status !== 409) throw new Error(`decided, and got ${status} ${JSON.stringify(body)}`);
  };
  const goOn = async (waitForApprovalSeconds: number) => {
    const path = `/api/v1/mcp/servers/${scene.serverId}/execute-code`;
    const { status, body } = await scene.caller.post(path, { approvalId: approvalIds.at(-1), waitForApprovalSeconds });
    if (status !== 200) throw new Error(`continued, and got ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const waiting = turn % 2 === 1 ? goOn(20) : undefined;
  waiting?.catch(() => {});
  await Promise.all(approvalIds.map(decide));
  return waiting ?? goOn(0);
}

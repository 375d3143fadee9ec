import { setTimeout as delay } from 'node:timers/promises';
import { DECISIONS, type Decision, OUTCOME, settledEvent } from '../../domain/approval.ts';
import type { ApiAnswer } from '../support/caller.ts';
import type { Random } from './random.ts';
import { callOf, type Manner, type Scene } from './scene.ts';

const DECIDERS = 50;
const RETRIES = 50;
/** The decisions and the first retries of a round start within this many milliseconds. */
const SPREAD_MS = 20;

/** A race against the timeout starts at most this long before the approval expires. */
const BEFORE_THE_END_MS = 250;

/** An operator's signal is the fastest, so only one kind of round has operators. */
const ROUNDS = [['rest'], ['rest', 'page'], ['rest', 'rest', 'page', 'operator']] as const;
type Door = (typeof ROUNDS)[number][number];

/** `status` is null for an operator, because a signal has no answer. */
interface Heard {
  decision: Decision;
  door: Door;
  status: number | null;
  code?: string;
  /** The approval status that a refusal named. */
  said?: string;
}

interface Row {
  status: string;
  decided_by_type: 'api_key' | 'hosted_link' | 'operator' | 'timeout';
}

/**
 * Sends fifty decisions and fifty retries of the call concurrently. With a manner other than
 * `ask`, sends them around the timeout.
 */
export async function race(scene: Scene, random: Random, name: string, manner: Manner): Promise<{ ended: string; problems: string[] }> {
  const call = callOf(scene, manner, name);
  const send = () => scene.caller.post('/api/v1/actions/execute', call);
  const asked = (await send()).body.approval;
  if (manner !== 'ask') await delay(Math.max(0, new Date(asked.expiresAt).getTime() - Date.now() - random.below(BEFORE_THE_END_MS)));

  const doors = random.pick(ROUNDS);
  const [heard, retried] = await Promise.all([
    Promise.all(Array.from({ length: DECIDERS }, () => decide(scene, random, asked, random.pick(doors)))),
    Promise.all(Array.from({ length: RETRIES }, () => delay(random.below(SPREAD_MS)).then(send))),
  ]);
  const row = await untilSettled(scene, asked.id);
  const again = await Promise.all(Array.from({ length: RETRIES }, send));
  const problems = [
    ...problemsOfDeciders(heard, row, manner),
    ...problemsOfCall(scene, name, asked.id, row, [...retried, ...again], again),
    ...(await problemsOfRecords(scene, asked.id, row)),
  ];
  await cancelNewOnes(scene, [...retried, ...again], asked.id);
  return { ended: `${row.status} by ${row.decided_by_type}`, problems };
}

async function decide(scene: Scene, random: Random, asked: { id: string; hostedApprovalUrl: string }, door: Door): Promise<Heard> {
  const decision = random.pick(DECISIONS);
  await delay(random.below(SPREAD_MS));
  if (door === 'operator') {
    // Temporal refuses the signal if the workflow has ended.
    await scene.workflows.signal(asked.id, decision).catch(() => {});
    return { decision, door, status: null };
  }
  if (door === 'rest') {
    const { status, body } = await scene.caller.post(`/api/v1/approvals/${asked.id}/${decision}`, {});
    return { decision, door, status, code: body.code, said: body.details?.status };
  }
  const link = new URL(asked.hostedApprovalUrl);
  const form = new URLSearchParams({ decision, token: link.searchParams.get('token')! });
  for (;;) {
    const answer = await fetch(new URL(link.pathname, scene.system.apiUrl), { method: 'POST', body: form, redirect: 'manual' });
    await answer.arrayBuffer();
    if (answer.status !== 503) return { decision, door, status: answer.status };
  }
}

async function untilSettled({ system }: Scene, id: string): Promise<Row> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(20)) {
    const row = await system.db('approvals').where({ id }).whereNot({ status: 'pending' }).first('status', 'decided_by_type');
    if (row) return row;
  }
  throw new Error(`${id} is still pending`);
}

/** In a round with a timeout, a refusal may say that the approval expired. */
function problemsOfDeciders(heard: Heard[], { status, decided_by_type }: Row, manner: Manner): string[] {
  const won = heard.filter((one) => one.status === 200 || one.status === 303);
  const lost = heard.filter((one) => one.status !== null && !won.includes(one));
  const byCaller = decided_by_type === 'api_key' || decided_by_type === 'hosted_link';
  const current = status === 'consumed' ? ['approved', 'consumed'] : [status];
  const isHonest = ({ door, status: http, code, said }: Heard) => {
    if (http !== 409) return false;
    if (door === 'page') return true;
    if (code === 'APPROVAL_ALREADY_DECIDED') return current.includes(said!);
    return code === 'APPROVAL_EXPIRED' && manner !== 'ask';
  };
  return [
    ...(won.length === (byCaller ? 1 : 0) ? [] : [`${won.length} winners although ${decided_by_type} made it ${status}`]),
    ...won
      .filter(({ decision }) => !current.includes(OUTCOME[decision]))
      .map((one) => `${JSON.stringify(one)} won, but the approval is ${status}`),
    ...lost.filter((one) => !isHonest(one)).map((one) => `a refusal with the wrong status: ${JSON.stringify(one)}`),
  ];
}

function problemsOfCall(scene: Scene, name: string, id: string, { status }: Row, all: ApiAnswer[], last: ApiAnswer[]): string[] {
  const isApproved = status === 'approved' || status === 'consumed';
  const effects = scene.world.effectsOf(name);
  const isFine = ({ status: http, body }: ApiAnswer) =>
    (http === 200 && isApproved) || (http === 202 && (!isApproved || body.approval.id === id));
  const outcomes = new Set(all.filter((answer) => answer.status === 200).map(({ body }) => JSON.stringify(body)));
  return [
    ...(effects === (isApproved ? 1 : 0) ? [] : [`${effects} effects of a call that is ${status}`]),
    ...all.filter((answer) => !isFine(answer)).map(({ status: http, body }) => `a retry got ${http} ${JSON.stringify(body)}`),
    ...(isApproved && last.some((answer) => answer.status !== 200) ? ['a retry after the approval did not get the outcome'] : []),
    ...(outcomes.size <= 1 ? [] : [`${outcomes.size} different outcomes`]),
  ];
}

async function problemsOfRecords({ system: { db } }: Scene, id: string, { status, decided_by_type }: Row): Promise<string[]> {
  const isApproved = status === 'approved' || status === 'consumed';
  const [calls, events, settled] = await Promise.all([
    db('calls').where({ approval_id: id }).pluck('status'),
    db('webhook_deliveries').where({ approval_id: id }).whereNot({ event_type: 'approval.requested' }).pluck('event_type'),
    db('activity').where({ approval_id: id }).whereIn('type', SETTLING).pluck('type'),
  ]);
  const event = settledEvent({ status: isApproved ? 'approved' : (status as 'rejected'), decidedByType: decided_by_type });
  return [
    ...(JSON.stringify(calls) === JSON.stringify(isApproved ? ['succeeded'] : []) ? [] : [`calls: ${calls}`]),
    ...(events.join() === event ? [] : [`events: ${events}, not ${event}`]),
    ...(settled.join() === event ? [] : [`activity: ${settled}, not ${event}`]),
  ];
}

const SETTLING = ['approval.approved', 'approval.rejected', 'approval.canceled', 'approval.expired'];

/** If the call is not approved, retries create new approvals. */
async function cancelNewOnes(scene: Scene, answers: ApiAnswer[], id: string): Promise<void> {
  const anew = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.approval.id as string));
  anew.delete(id);
  for (const other of anew) await scene.caller.post(`/api/v1/approvals/${other}/cancel`, {});
}

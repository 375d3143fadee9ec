import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '../support/in-parallel.ts';
import { type Case, endOf } from './cases.ts';
import type { Scene } from './scene.ts';

/** Long, because a delivery of a killed worker is retried half a minute later. */
const BOUND_MS = 75_000;
/** Small, because the checks and the system share the machine. */
const PARALLEL_CHECKS = 4;

/**
 * Returns the problems that remain when their number has not fallen for BOUND_MS. Checks the
 * outcome, effects, webhooks and records of each case, and the outbox.
 */
export async function findBroken(scene: Scene, cases: Case[]): Promise<string[]> {
  const look = async (one: Case) => ({ one, problems: await problemsOf(scene, one).catch((error) => [String(error)]) });
  let wrong = cases.map((one) => ({ one, problems: ['not looked at'] }));
  let left = Number.POSITIVE_INFINITY;
  for (let end = Date.now() + BOUND_MS; ; await delay(500)) {
    const before = wrong.length + left;
    const looked = await inParallel(wrong, PARALLEL_CHECKS, ({ one }) => look(one));
    wrong = looked.filter(({ problems }) => problems.length > 0);
    const leftOver = await findLeftOver(scene).catch((error) => [String(error)]);
    left = leftOver.length;
    if (wrong.length + left < before) end = Date.now() + BOUND_MS;
    if (Date.now() > end || wrong.length + left === 0)
      return [...wrong.map(({ one, problems }) => `${one.title} (${one.approvalId}): ${problems.join('; ')}`), ...leftOver];
  }
}

async function findLeftOver({ system }: Scene): Promise<string[]> {
  const entries = await system.db('outbox').select('kind', 'approval_id');
  return entries.map(({ kind, approval_id }) => `left in the outbox: ${kind} of ${approval_id}`);
}

async function problemsOf(scene: Scene, one: Case): Promise<string[]> {
  const { db } = scene.system;
  const expected = endOf(one);
  const approvals = await db('approvals').where({ workspace_id: scene.workspaces[one.manner], idempotency_key: one.name });
  if (approvals.length !== 1) return [`there are ${approvals.length} approvals`];
  const [{ id, status }] = approvals;
  one.approvalId ??= id;
  const [receipts, calls, deliveries, activity, workflow] = await Promise.all([
    db('receipts').where({ approval_id: id }).pluck('id'),
    db('calls').where({ approval_id: id }).pluck('status'),
    db('webhook_deliveries').where({ approval_id: id }).select('id', 'event_type', 'status'),
    db('activity').where({ approval_id: id }).pluck('type'),
    scene.workflows.statusOf(id),
  ]);
  const same = (what: string, is: unknown, should: unknown) =>
    JSON.stringify(is) === JSON.stringify(should) ? [] : [`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`];
  const effects = scene.world.effectsOf(one.name);
  return [
    ...same('approval', id, one.approvalId),
    ...same('status', status, expected.status),
    ...(expected.effects.includes(effects) ? [] : [`${effects} effects, although the caller was told: ${one.outcome ?? 'nothing'}`]),
    ...same('calls', calls.map(wordOf), one.outcome ? [one.outcome] : []),
    ...same('receipts', receipts.length, one.decided === 'approve' ? 1 : 0),
    ...same('events', deliveries.map(({ event_type }) => event_type).sort(), [...expected.events].sort()),
    ...deliveries.flatMap((delivery) => problemsOfDelivery(scene, id, delivery)),
    ...same('activity', tellingOf(activity), tellingOf(activitiesOf(one, expected.events))),
    ...same('workflow', workflow, 'COMPLETED'),
  ];
}

interface DeliveryRow {
  id: string;
  event_type: string;
  status: string;
}

function problemsOfDelivery({ world }: Scene, approvalId: string, { id, event_type, status }: DeliveryRow): string[] {
  const came = world.delivered.filter((one) => one.approvalId === approvalId && one.event === event_type);
  return [
    ...(status === 'success' ? [] : [`the delivery of ${event_type} is ${status}`]),
    ...(came.length > 0 ? [] : [`${event_type} never came`]),
    ...(came.every((one) => one.id === id) ? [] : [`${event_type} arrived under several delivery ids`]),
    ...(new Set(came.map((one) => one.body)).size <= 1 ? [] : [`${event_type} arrived with different contents`]),
  ];
}

function wordOf(callStatus: string): string {
  return { succeeded: 'ran', failed: 'not made' }[callStatus] ?? callStatus;
}

function activitiesOf(one: Case, events: string[]): string[] {
  if (one.manner === 'notify') return ['call.let_through', ...(one.outcome === 'unknown' ? ['call.outcome_unknown'] : [])];
  return [...events, ...(one.outcome ? ['approval.consumed'] : []), ...(one.outcome === 'unknown' ? ['call.outcome_unknown'] : [])];
}

/** Leaves out webhook attempts and refused decisions, which can occur several times. */
function tellingOf(types: string[]): string[] {
  return types.filter((type) => !type.startsWith('webhook.') && type !== 'approval.decision_refused').sort();
}

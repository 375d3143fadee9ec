import { DECISIONS } from '../../domain/approval.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { inTurns } from './in-turns.ts';
import { findBroken } from './invariants.ts';
import type { Manner, Scene } from './scene.ts';
import { TARGETS } from './trap.ts';

const AT_ONCE = 10;

/**
 * Many approvals are pending while everything is killed and started again: a third to be decided afterwards, the others running out of time before,
 * during and after it, in both ways. Answers what did not become of them what was due.
 */
export async function restartWhilePending(scene: Scene, count: number): Promise<string[]> {
  const third = Math.floor(count / 3);
  const pending = newCases('ask', third);
  const running = [...newCases('expires later', third), ...newCases('rejects later', count - 2 * third)];
  for (const one of pending) one.decision = DECISIONS[pending.indexOf(one) % DECISIONS.length]!;

  await inTurns([...pending, ...running], AT_ONCE, (one) => ask(scene, one));
  const { parts, ready } = scene.system;
  await Promise.all(TARGETS.map((target) => parts[target].kill({ stayAway: true })));
  await Promise.all([parts.postgres.restart(), parts.temporal.restart()]);
  await Promise.all([parts.api.restart(), parts.worker.restart()]);
  await ready();
  await inTurns(pending, AT_ONCE, async (one) => {
    await decide(scene, one, one.decision!);
    if (one.decision === 'approve') await make(scene, one);
  });
  return findBroken(scene, [...pending, ...running]);
}

type PendingCase = Case & { decision?: (typeof DECISIONS)[number] };

function newCases(manner: Manner, count: number): PendingCase[] {
  return Array.from({ length: count }, () => ({ name: crypto.randomUUID(), manner, story: `pending across a restart: ${manner}` }));
}

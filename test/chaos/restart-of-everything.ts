import { DECISIONS } from '../../domain/approval.ts';
import { inParallel } from '../support/in-parallel.ts';
import { ask, type Case, decide, make } from './cases.ts';
import { TARGETS } from './fault-injector.ts';
import { findBroken } from './invariants.ts';
import type { Manner, Scene } from './scene.ts';

const PARALLEL = 10;

/** Kills and restarts every process while `count` approvals are pending. Returns the problems. */
export async function restartWhilePending(scene: Scene, count: number): Promise<string[]> {
  const third = Math.floor(count / 3);
  const pending = newCases('ask', third);
  const running = [...newCases('expires later', third), ...newCases('rejects later', count - 2 * third)];
  for (const one of pending) one.decision = DECISIONS[pending.indexOf(one) % DECISIONS.length]!;

  await inParallel([...pending, ...running], PARALLEL, (one) => ask(scene, one));
  const { parts, ready } = scene.system;
  await Promise.all(TARGETS.map((target) => parts[target].kill({ stayAway: true })));
  await Promise.all([parts.postgres.restart(), parts.temporal.restart()]);
  await Promise.all([parts.api.restart(), parts.worker.restart()]);
  await ready();
  await inParallel(pending, PARALLEL, async (one) => {
    await decide(scene, one, one.decision!);
    if (one.decision === 'approve') await make(scene, one);
  });
  return findBroken(scene, [...pending, ...running]);
}

type PendingCase = Case & { decision?: (typeof DECISIONS)[number] };

function newCases(manner: Manner, count: number): PendingCase[] {
  return Array.from({ length: count }, () => ({ name: crypto.randomUUID(), manner, title: `pending across a restart: ${manner}` }));
}

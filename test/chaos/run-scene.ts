import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, callerOf } from '../support/caller.ts';
import type { ChaosSystem } from './chaos-system.ts';
import { type EffectWorld, openEffectWorld } from './effect-world.ts';
import { type PersistentCaller, persistentCaller } from './persistent-caller.ts';
import type { RunTarget } from './run-watch.ts';
import { killRunners } from './runner-processes.ts';
import { openWorkflows, type Workflows } from './workflows.ts';

/**
 * A server in Code Mode. Calls of `pay` and `book` need approval, each under its own policy; calls
 * of `http` do not.
 */
export interface RunScene {
  system: ChaosSystem;
  world: EffectWorld;
  workspaceId: string;
  serverId: string;
  /** Sends a request once. */
  api: Caller;
  caller: PersistentCaller;
  workflows: Workflows;
  /** `at` is in epoch milliseconds. */
  kills: { target: RunTarget; at: number }[];
  /**
   * Kills the target for all runs that ask for it within `TOGETHER_MS`. Returns false, without a
   * kill, while a part is restarting.
   */
  inject(target: RunTarget): Promise<boolean>;
  close(): Promise<void>;
}

/** Time limit of a request in ms. Kills meant for other runs can interrupt a run several times. */
const PATIENCE_MS = 240_000;

/** Creates the workspace, the MCP server and the policies on a running system. */
export async function openRunScene(system: ChaosSystem): Promise<RunScene> {
  const world = await openEffectWorld(system.runWatch);
  const workflows = openWorkflows(system.temporalAddress);
  const api = callerOf(system.apiUrl, system.plainKey);
  const slug = `runs-${crypto.randomUUID().slice(0, 8)}`;
  const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: 'Runs', slug });
  for (const alias of ['http', 'pay', 'book'])
    await api.must(201).post(`/api/v1/workspaces/${workspace.id}/integrations`, { integrationName: 'http', alias });
  for (const alias of ['pay', 'book'])
    await api
      .must(200)
      .post('/api/v1/approval-policies', { name: `Asks about ${alias}`, workspaceId: workspace.id, integrationAliases: [alias] });
  const { server } = await api
    .must(201)
    .post('/api/v1/mcp/servers', { name: 'Runs', workspaceId: workspace.id, mode: 'CODE', authMode: 'bearer' });

  const kills: RunScene['kills'] = [];
  let comingBack: Promise<void> | undefined;
  let runnersKilledAt = 0;
  const kill = async (target: RunTarget): Promise<boolean> => {
    if (comingBack) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    comingBack = promise;
    kills.push({ target, at: Date.now() });
    if (target === 'runner') {
      runnersKilledAt = Date.now();
      await killRunners(system.parts.worker.pid());
    } else await system.parts[target].kill();
    void system
      .ready()
      .catch((error) => console.error(`after a kill of ${target}: ${error}`))
      .finally(() => {
        comingBack = undefined;
        resolve();
      });
    return true;
  };
  const groups = new Map<RunTarget, KillGroup>();
  const inject = (target: RunTarget): Promise<boolean> => {
    if (comingBack) return Promise.resolve(false);
    const group =
      groups.get(target) ??
      new KillGroup(async () => {
        if (target === 'runner') await delay(Math.max(0, runnersKilledAt + RUNNERS_APART_MS - Date.now()));
        groups.delete(target);
        return kill(target);
      });
    groups.set(target, group);
    return group.join();
  };
  const close = async () => {
    await comingBack;
    await workflows.close();
    await world.close();
  };
  const caller = persistentCaller(system.apiUrl, system.plainKey, PATIENCE_MS);
  return { system, world, workspaceId: workspace.id, serverId: server.id, api, caller, workflows, kills, inject, close };
}

/** How long a run waits for other runs that need the same kill, in ms. */
const TOGETHER_MS = 2000;
/** With this number of runs, the kill no longer waits for others. */
const MAX_TOGETHER = 12;
/**
 * Minimum time in ms between two kills of the runners. A third kill in a pass would end the run
 * (docs/decisions/0028).
 */
const RUNNERS_APART_MS = 5000;

class KillGroup {
  #count = 0;
  readonly #full = Promise.withResolvers<void>();
  readonly #killed: Promise<boolean>;

  constructor(kill: () => Promise<boolean>) {
    this.#killed = Promise.race([this.#full.promise, delay(TOGETHER_MS)]).then(kill);
  }

  /** Resolves after the kill, with the result of the kill. */
  join(): Promise<boolean> {
    this.#count += 1;
    if (this.#count === MAX_TOGETHER) this.#full.resolve();
    return this.#killed;
  }
}

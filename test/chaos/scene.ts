import { type Caller, callerOf } from '../support/caller.ts';
import { type ChaosOptions, type ChaosSystem, startChaosSystem } from './chaos-system.ts';
import { type CountingWorld, openCountingWorld } from './counting-world.ts';
import { type PersistentCaller, persistentCaller } from './persistent-caller.ts';
import { openWorkflows, type Workflows } from './workflows.ts';

const POLICIES = {
  ask: { timeoutSeconds: 3600 },
  /** Leaves enough time for a restart before the approval expires. */
  'expires in 15 seconds': { name: 'within 15 seconds', timeoutSeconds: 3600, defaultOnTimeout: 'expire' },
  'expires soon': { name: 'within 1500 milliseconds', timeoutSeconds: 3600, defaultOnTimeout: 'expire' },
  'rejects soon': { name: 'within 1500 milliseconds', timeoutSeconds: 3600, defaultOnTimeout: 'reject' },
  'expires later': { name: 'within 12 seconds', timeoutSeconds: 3600, defaultOnTimeout: 'expire' },
  'rejects later': { name: 'within 12 seconds', timeoutSeconds: 3600, defaultOnTimeout: 'reject' },
  'race that expires': { name: 'within 400 milliseconds', timeoutSeconds: 3600, defaultOnTimeout: 'expire' },
  'race that rejects': { name: 'within 400 milliseconds', timeoutSeconds: 3600, defaultOnTimeout: 'reject' },
  notify: { decision: 'notify_only' },
} as const;
export type Manner = keyof typeof POLICIES;

/** A system, the outside world, and an organization with a workspace for each key of `POLICIES`. */
export interface Scene {
  system: ChaosSystem;
  world: CountingWorld;
  caller: PersistentCaller;
  /** Sends a request once. */
  api: Caller;
  workflows: Workflows;
  workspaces: Record<Manner, string>;
  close(): Promise<void>;
}

/**
 * A trigger that sets timeouts below the allowed minimum. An approval under a policy named
 * `within <interval>` expires after that interval.
 */
const SHORTEN = `
  create function shorten() returns trigger language plpgsql as $$ begin
    if new.policy_name like 'within %' then new.expires_at := now() + substr(new.policy_name, 8)::interval; end if;
    return new;
  end $$;
  create trigger shorten before insert on approvals for each row execute function shorten();`;

/** Starts a system, and creates the organization with its workspaces and policies. */
export async function openScene(options: ChaosOptions = {}): Promise<Scene> {
  const system = await startChaosSystem(options);
  const world = await openCountingWorld(system.faults);
  const workflows = openWorkflows(system.temporalAddress);
  const close = async () => {
    await workflows.close();
    await system.close();
    await world.close();
  };
  try {
    await system.db.raw(SHORTEN);
    const api = callerOf(system.apiUrl, system.plainKey);
    const caller = persistentCaller(system.apiUrl, system.plainKey);
    const workspaces = {} as Record<Manner, string>;
    for (const [manner, fields] of Object.entries(POLICIES)) {
      const slug = manner.replaceAll(' ', '-');
      const { workspace } = await api.must(201).post('/api/v1/workspaces', { name: manner, slug });
      workspaces[manner as Manner] = workspace.id;
      const approvers = [{ type: 'webhook', webhookUrl: world.webhookUrl }];
      const policy = { name: manner, workspaceId: workspace.id, integrationNames: ['http'], approvers, ...fields };
      const { status, body } = await caller.post('/api/v1/approval-policies', policy);
      if (status !== 200) throw new Error(`the policy was not created: ${JSON.stringify(body)}`);
    }
    return { system, world, workflows, workspaces, api, caller, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Returns the request body of the call whose idempotency key is this name. Equal arguments give
 * equal bodies.
 */
export function callOf({ workspaces, world }: Scene, manner: Manner, name: string) {
  return {
    integrationName: 'http',
    actionName: 'send_request',
    workspaceId: workspaces[manner],
    input: { method: 'POST', url: world.effectUrl(name), body_type: 'json', body: { amount: 12 } },
    idempotencyKey: name,
  };
}

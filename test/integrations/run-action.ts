import type { Outbound } from '../../domain/outbound.ts';
import { openCatalog } from '../../integrations/catalog.ts';
import type { ActionContext, State } from '../../integrations/definition.ts';
import { parseInput } from '../../integrations/parse-input.ts';

const catalog = openCatalog();

/** The services that an action can use in a test. */
export interface Reach {
  now?: Date;
  outbound?: Outbound;
  state?: () => State;
  sandbox?: ActionContext['sandbox'];
  schedule?: ActionContext['schedule'];
}

/**
 * Runs `integration.action` as the service does, and checks input and output against their schemas.
 */
export async function runAction(name: `${string}.${string}`, input: unknown, reach: Reach = {}): Promise<Record<string, unknown>> {
  const [integrationName, actionName] = name.split('.') as [string, string];
  const action = catalog.getAction(integrationName, actionName);
  const parsed = parseInput(action, input);
  if (!parsed.ok) throw Object.assign(new Error('invalid input'), { issues: parsed.issues });
  const output = await action.run({ ...context(reach), input: parsed.input });
  const answered = action.output.parse(output);
  if (!answered.ok) throw new Error(JSON.stringify(answered.issues));
  return answered.value as Record<string, unknown>;
}

/** The issues of an input for this action. */
export function issuesOf(name: `${string}.${string}`, input: unknown) {
  const [integrationName, actionName] = name.split('.') as [string, string];
  const parsed = parseInput(catalog.getAction(integrationName, actionName), input);
  return parsed.ok ? [] : parsed.issues;
}

function context({ now = new Date(), outbound, state, sandbox, schedule }: Reach): Omit<ActionContext, 'input'> {
  const unreachable = (): never => {
    throw new Error('the action used a service that the test did not provide');
  };
  return {
    auth: null,
    now: () => now,
    signal: AbortSignal.timeout(60_000),
    outbound: outbound ?? { request: unreachable, stream: unreachable, checkUrl: unreachable, connect: unreachable, close: unreachable },
    state: state ?? unreachable,
    sandbox: sandbox ?? unreachable,
    remoteTools: unreachable,
    schedule: schedule ?? ((work) => work()),
  };
}

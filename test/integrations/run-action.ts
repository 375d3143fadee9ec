import type { Outbound } from '../../domain/outbound.ts';
import { openCatalog } from '../../integrations/catalog.ts';
import type { ActionContext, State } from '../../integrations/definition.ts';
import { parseInput } from '../../integrations/parse-input.ts';

const catalog = openCatalog();

/** What the action may reach in a test, beyond its input. */
export interface Reach {
  now?: Date;
  outbound?: Outbound;
  state?: () => State;
  sandbox?: ActionContext['sandbox'];
  inTurn?: ActionContext['inTurn'];
}

/** Runs `integration.action` as the service does: input checked, output held against the declared schema. */
export async function runAction(name: `${string}.${string}`, input: unknown, reach: Reach = {}): Promise<Record<string, unknown>> {
  const [integrationName, actionName] = name.split('.') as [string, string];
  const action = catalog.getAction(integrationName, actionName);
  const parsed = parseInput(action, input);
  if (!parsed.ok) throw Object.assign(new Error('invalid input'), { issues: parsed.issues });
  const output = await action.run({ ...context(reach), input: parsed.input });
  return action.output.parse(output) as Record<string, unknown>;
}

/** The issues of an input that the action refuses. */
export function issuesOf(name: `${string}.${string}`, input: unknown) {
  const [integrationName, actionName] = name.split('.') as [string, string];
  const parsed = parseInput(catalog.getAction(integrationName, actionName), input);
  return parsed.ok ? [] : parsed.issues;
}

function context({ now = new Date(), outbound, state, sandbox, inTurn }: Reach): Omit<ActionContext, 'input'> {
  const unreachable = (): never => {
    throw new Error('this action reaches for more than the test gave it');
  };
  return {
    auth: null,
    now: () => now,
    signal: AbortSignal.timeout(60_000),
    outbound: outbound ?? { request: unreachable, checkUrl: unreachable, close: unreachable },
    state: state ?? unreachable,
    sandbox: sandbox ?? unreachable,
    inTurn: inTurn ?? ((work) => work()),
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { Action, AuthMethod, AuthValue, Integration } from '../integrations/definition.ts';
import { parseInput } from '../integrations/parse-input.ts';
import { differences } from './compare-request.ts';
import { type Example, type Examples, exchangesOf } from './examples.ts';
import { openThirdParty, type ThirdParty } from './third-party.ts';

/** The problems of one example. */
export interface Finding {
  /** The action, or for choices the input, such as `create_issue.owner`. */
  place: string;
  /** Number of the example, from 1. 0 if the action has none. */
  example: number;
  problems: string[];
}

/** Runs every example of a provider against a fake third party on this machine. */
export async function runExamples(integration: Integration, examples: Examples): Promise<Finding[]> {
  const thirdParty = await openThirdParty();
  const findings: Finding[] = [];
  try {
    for (const [place, several] of [...Object.entries(examples.actions), ...Object.entries(examples.choices ?? {})]) {
      for (const [index, example] of several.entries()) {
        const account = example.account ?? examples.account ?? defaultAccount(integration.auth);
        const problems = await runExample(integration, place, { ...example, ...(account && { account }) }, thirdParty);
        if (problems.length > 0) findings.push({ place, example: index + 1, problems });
      }
    }
  } finally {
    await thirdParty.close();
  }
  const untried = Object.keys(integration.actions).filter((name) => !Object.hasOwn(examples.actions, name));
  return [...findings, ...untried.map((place) => ({ place, example: 0, problems: ['there is no example of this action'] }))];
}

async function runExample(integration: Integration, place: string, example: Example, thirdParty: ThirdParty): Promise<string[]> {
  const [name = '', prop] = place.split('.');
  const action = integration.actions[name];
  if (!action) return [`there is no action ${name}`];
  const exchanges = exchangesOf(example);
  thirdParty.answer(exchanges);
  const outcome = await (prop === undefined ? call(action, example, thirdParty) : ask(action, prop, example, thirdParty)).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const { arrived } = thirdParty;
  const count =
    arrived.length === exchanges.length
      ? []
      : [
          `there were ${arrived.length} requests, not ${exchanges.length}: ${arrived.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
        ];
  return [
    ...count,
    ...arrived.slice(0, exchanges.length).flatMap((request, index) => differences(exchanges[index]!, request)),
    ...outcomeProblems(example, outcome),
  ];
}

async function call(action: Action, { input = {}, account = null }: Example, { outbound }: ThirdParty): Promise<unknown> {
  const parsed = parseInput(action, input);
  if (!parsed.ok) throw new Error(`the input is not valid: ${parsed.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
  const completed = (account && action.completeInput?.(parsed.input, account)) ?? parsed.input;
  const output = await action.run({
    ...{ input: completed, auth: account, outbound, signal: AbortSignal.timeout(DEADLINE_MS), now: () => NOW },
    ...{ state: unavailable, sandbox: unavailable, remoteTools: unavailable, schedule: unavailable },
  });
  return JSON.parse(JSON.stringify(output));
}

function ask(action: Action, prop: string, { input = {}, account = null, search }: Example, { outbound }: ThirdParty): Promise<unknown> {
  const options = action.dynamic?.[prop]?.options;
  if (!options) return Promise.reject(new Error(`the input ${prop} has no choices`));
  return options({ input, search, auth: account, signal: AbortSignal.timeout(DEADLINE_MS), outbound });
}

const DEADLINE_MS = 60_000;
/** Fixed, so that signatures are always the same. */
const NOW = new Date('2026-01-15T09:30:00Z');

function unavailable(): never {
  throw new Error('a provider can use only its third party');
}

function outcomeProblems({ output, options, error: wanted }: Example, outcome: { value?: unknown; error?: unknown }): string[] {
  if ('error' in outcome) {
    const { message, details } = outcome.error as { message: string; details?: Record<string, unknown> };
    if (!wanted) return [`it failed: ${message}`];
    const wrong = Object.entries(wanted.details ?? {}).filter(([key, value]) => !isDeepStrictEqual(details?.[key], value));
    return [
      ...(wanted.message === undefined || message.includes(wanted.message)
        ? []
        : [`the message is "${message}", without "${wanted.message}"`]),
      ...wrong.map(([key, value]) => `details.${key} is ${JSON.stringify(details?.[key])}, not ${JSON.stringify(value)}`),
    ];
  }
  if (wanted) return ['it did not fail'];
  const expected = options ?? output;
  if (expected === undefined || isDeepStrictEqual(outcome.value, JSON.parse(JSON.stringify(expected)))) return [];
  return [`the answer is ${JSON.stringify(outcome.value)}, not ${JSON.stringify(expected)}`];
}

function defaultAccount(methods: readonly AuthMethod[] | null): AuthValue | undefined {
  const types = methods?.map(({ type }) => type) ?? [];
  if (types.includes('SECRET_TEXT')) return { type: 'SECRET_TEXT', secretText: 't0ken' };
  if (types.includes('OAUTH2')) return { type: 'OAUTH2', accessToken: 't0ken', data: {} };
  return types.includes('BASIC_AUTH') ? { type: 'BASIC_AUTH', username: 'user', password: 'passw0rd' } : undefined;
}

import { isDeepStrictEqual } from 'node:util';
import type { Approval } from '../../../domain/approval.ts';
import type { RecordedCall } from '../../../domain/call.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { prepareCode } from '../../../sandbox/reader/prepare-code.ts';
import { isStale } from './gated-changes.ts';
import type { Change, GatedCase } from './gated-programs.ts';
import type { Books, Effect } from './gated-world.ts';

const SEVERITY = ['block', 'require_approval', 'notify_only', 'auto_approve'];

/** Returns the policy that decides a call. Shares no code with the service. */
function winner(policies: readonly Policy[], call: { alias: string; action: string; input: Record<string, unknown> }) {
  const matches = ({ actionNames, integrationAliases, rules }: Policy) => {
    const from = rules.amountThresholds?.[0]?.gte;
    return (
      (actionNames.length === 0 || actionNames.includes(call.action)) &&
      (integrationAliases.length === 0 || integrationAliases.includes(call.alias)) &&
      (from === undefined || (typeof call.input.amount === 'number' && call.input.amount >= from))
    );
  };
  return policies
    .filter(matches)
    .sort((a, b) => a.priority - b.priority || SEVERITY.indexOf(a.decision) - SEVERITY.indexOf(b.decision) || (a.id < b.id ? -1 : 1))[0];
}

export type Made = Pick<Effect, 'action' | 'input' | 'account'>;

/** The effects that a program has if every approval is granted. */
export async function effectsOf({ program, world }: GatedCase, policies: readonly Policy[]): Promise<Made[]> {
  const made: Made[] = [];
  const call = (alias: string, account: string, action: string) => async (input: Record<string, unknown>) => {
    if (winner(policies, { alias, action, input })?.decision === 'block') throw new Error('blocked');
    if (action === 'read') return world[0];
    made.push({ action: action as Effect['action'], input: JSON.parse(JSON.stringify(input)), account });
    return { effect: 0 };
  };
  const actions = (alias: string, account: string) =>
    Object.fromEntries(['pay', 'send', 'read'].map((action) => [action, call(alias, account, action)]));
  const spare = actions('spare-bank', 'second');
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...given: unknown[]) => Promise<unknown>;
  const run = new AsyncFunction('svc', 'console', prepareCode(program).code);
  await run({ bank: actions('bank', 'first'), 'spare-bank': spare, spare_bank: spare }, { log() {} }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 5));
  return made;
}

/** What happened when a case was played. */
export interface Played {
  books: Books;
  calls: readonly RecordedCall[];
  approvals: readonly Approval[];
  /**
   * The approvals before the change, and the number of effects until then (Infinity without a
   * change).
   */
  before: { approvals: ReadonlySet<string>; effects: number };
  change: Change;
  /** Accounts by the `id/version` of their connection. */
  accounts: ReadonlyMap<string, string>;
}

/** Checks every effect against the approvals. */
export function judge(played: Played): { problems: string[]; byPlan: number; byCall: number } {
  const { books, calls, approvals, before, change } = played;
  const problems: string[] = [];
  const uses = new Map<Approval, { call: RecordedCall; effect: Effect }[]>();
  for (const [index, effect] of books.effects.entries()) {
    const call = calls.find(({ outcome }) => outcome?.ok && (outcome.output as { effect?: number }).effect === effect.number);
    if (!call) {
      if (change !== 'race') problems.push(`effect ${effect.number} is in no journal`);
      continue;
    }
    const made = { alias: call.integrationAlias!, action: effect.action, input: effect.input };
    const policy = winner(effect.policies, made);
    const of = `${made.alias}.${made.action} ${JSON.stringify(effect.input)}`;
    if (policy?.decision === 'block') problems.push(`${of} was blocked`);
    if (policy?.decision !== 'require_approval') continue;
    const approval = approvals.find(({ id }) => id === call.approvalId);
    if (!approval) problems.push(`${of} had no approval`);
    else if (approval.policyId !== policy.id) problems.push(`${of} was approved under another policy`);
    else if (approval.status !== 'consumed' || approval.decidedByType !== 'operator') problems.push(`${of} was approved by nobody`);
    else {
      const isStillOld = index >= before.effects && before.approvals.has(approval.id);
      if (isStillOld && isStale(change, made, approval.callNumber !== null)) problems.push(`${of} was not asked about again`);
      uses.set(approval, [...(uses.get(approval) ?? []), { call, effect }]);
    }
  }
  let [byPlan, byCall] = [0, 0];
  for (const [approval, used] of uses) {
    if (approval.callNumber === null) byPlan += used.length;
    else byCall += used.length;
    const left = approval.callNumber === null ? leftOfPlan(played, approval, used) : leftOfCall(played, approval, used);
    problems.push(...left);
  }
  return { problems, byPlan, byCall };
}

type Use = { call: RecordedCall; effect: Effect };

function leftOfCall({ accounts }: Played, approval: Approval, used: Use[]): string[] {
  const [{ call, effect }, ...more] = used as [Use, ...Use[]];
  const account = accounts.get(`${approval.connectionId}/${approval.connectionVersion}`);
  const isExact = approval.callNumber === call.callNumber && isShown(approval.inputPreview, effect.input) && account === effect.account;
  return isExact && more.length === 0 ? [] : [`approval ${approval.id} let through what it was not about: ${JSON.stringify(used)}`];
}

interface PredictedTool {
  tool: string;
  input?: Record<string, unknown>;
  repeats: boolean;
}

/** A repeating prediction can match several effects. Known inputs are matched first. */
function leftOfPlan({ accounts }: Played, approval: Approval, used: Use[]): string[] {
  const open = [...(approval.inputPreview.predictedTools as PredictedTool[])];
  const take = (fits: (tool: PredictedTool) => boolean) => {
    const index = open.findIndex(fits);
    if (index < 0) return false;
    if (!open[index]!.repeats) open.splice(index, 1);
    return true;
  };
  const isAccount = ({ call, effect }: Use) =>
    approval.plannedTools!.some(
      ({ alias, action, connection }) =>
        alias === call.integrationAlias && action === call.actionName && accounts.get(connection ?? '') === effect.account,
    );
  const name = ({ call }: Use) => `${call.integrationAlias}.${call.actionName}`;
  const rest = used.filter(
    (use) => !take(({ tool, input }) => tool === name(use) && input !== undefined && isShown(input, use.effect.input)),
  );
  const uncovered = rest.filter((use) => !take(({ tool, input }) => tool === name(use) && input === undefined));
  const elsewhere = used.filter((use) => !isAccount(use));
  return [...uncovered, ...elsewhere].map(
    (use) => `the plan's approval let through what it did not predict: ${JSON.stringify(use.effect)}`,
  );
}

/** Whether the preview shows this input. Redacted values are not compared. */
function isShown(preview: Record<string, unknown>, input: Record<string, unknown>): boolean {
  const hidden = Object.keys(preview).filter((key) => preview[key] === '[redacted]');
  const without = (value: Record<string, unknown>) => Object.fromEntries(Object.entries(value).filter(([key]) => !hidden.includes(key)));
  return isDeepStrictEqual(without(preview), without(input));
}

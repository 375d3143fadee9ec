import { POLICY } from '../../domain/limits.ts';
import { POLICY_DECISIONS, type Policy, type PolicyDecision, type PolicyFields } from '../../domain/policies/policy.ts';
import { replayCall, replayPolicy, type Unjudged } from '../../domain/policies/replay-call.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { type CallCursor, type CallFilter, listCalls, listHeldCalls, type StoredCall } from '../../store/call-facts.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';
import { checkReferences, type PolicyReferences } from './check-policy.ts';
import { openPolicyHistory, type PolicyHistory } from './policy-history.ts';

export type Decided = PolicyDecision | 'allow';

/** A policy to test, and the calls to test it with. */
export interface BacktestRequest {
  fields: PolicyFields;
  /** The references to check: all for a draft, or only those in the changed fields of a policy. */
  references: PolicyReferences;
  /** The policy that the tested policy replaces. Undefined: the tested policy is added. */
  replaces?: Policy | undefined;
  workspaceId?: string | undefined;
  days: number;
}

interface BacktestExample {
  call: StoredCall;
  was: Decided;
  would: Decided;
}

export interface Backtest {
  from: Date;
  to: Date;
  /**
   * True if there were more calls than one backtest reads. Recorded calls are read before held
   * calls (known only from their approvals), each newest first.
   */
  isCut: boolean;
  total: number;
  /**
   * The number of judged calls that the tested policy matches, even if another policy decides them.
   */
  matched: number;
  unjudged: Map<Unjudged, number>;
  /** The number of judged calls for each pair of decisions. */
  decisions: { was: Decided; would: Decided; calls: number }[];
  /** Calls whose decision would change, then other calls that the tested policy matches. */
  examples: BacktestExample[];
}

/**
 * Tests what a policy would have done with the calls of the last `days` days. Changes nothing and
 * asks no risk model. Ends when `signal` aborts. Throws the errors of `getWorkspace`
 * and `checkReferences`.
 */
export async function backtestPolicy(
  gateway: Gateway,
  principal: KeyPrincipal,
  request: BacktestRequest,
  signal: AbortSignal,
): Promise<Backtest> {
  const { orgId } = principal;
  const { references, replaces, workspaceId, days } = request;
  const workspaceIds = workspaceId === undefined ? principal.workspaceIds : [(await getWorkspace(gateway, principal, workspaceId)).id];
  await checkReferences(gateway, principal, references);
  const to = new Date();
  const filter = { orgId, workspaceIds, from: new Date(to.getTime() - days * DAY_MS), to };
  const draft = draftOf(orgId, request);
  const history = await openPolicyHistory(gateway.db, orgId, filter.from, (policies) => [
    ...policies.filter(({ id }) => id !== draft.id),
    ...(draft.enabled ? [draft] : []),
  ]);
  const tally = new Tally(draft, replaces === undefined, history);
  for (const list of [listCalls, listHeldCalls]) await replayAll(gateway, filter, list, tally, signal);
  return { from: filter.from, to, ...tally.result() };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A shadow policy is tested as if it were enforced, and a new policy as if it were enabled. */
function draftOf(orgId: string, { fields, replaces }: BacktestRequest): Policy {
  const now = new Date();
  const draft: Policy = { ...fields, mode: 'enforce', id: '', orgId, version: 0, createdAt: now, updatedAt: now };
  return replaces ? { ...draft, id: replaces.id } : { ...draft, enabled: true };
}

const BATCH = 500;

/** Each page is a separate job, so that organizations take turns. */
async function replayAll(gateway: Gateway, filter: CallFilter, list: typeof listCalls, tally: Tally, signal: AbortSignal): Promise<void> {
  for (let after: CallCursor | undefined; ; ) {
    const page = await gateway.schedulers.backtests.run({ tenantId: filter.orgId, signal }, async () => {
      signal.throwIfAborted();
      const calls = await list(gateway.db, filter, { limit: BATCH, after });
      for (const call of calls) {
        if (!(await tally.add(call))) break;
        await breathe();
      }
      return calls;
    });
    after = page.at(-1)?.cursor;
    if (page.length < BATCH || tally.isFull) return;
  }
}

class Tally {
  readonly #draft: Policy;
  readonly #isAdded: boolean;
  readonly #history: PolicyHistory;
  readonly #unjudged = new Map<Unjudged, number>();
  readonly #pairs = new Map<string, { was: Decided; would: Decided; calls: number }>();
  readonly #changed: BacktestExample[] = [];
  readonly #unchanged: BacktestExample[] = [];
  #total = 0;
  #matched = 0;
  #isCut = false;

  constructor(draft: Policy, isAdded: boolean, history: PolicyHistory) {
    this.#draft = draft;
    this.#isAdded = isAdded;
    this.#history = history;
  }

  get isFull(): boolean {
    return this.#isCut;
  }

  /** Returns false if there are too many calls. */
  async add(call: StoredCall): Promise<boolean> {
    if (this.#total === POLICY.backtest.maxCalls) this.#isCut = true;
    if (this.#isCut) return false;
    this.#total += 1;
    const judged = await this.#judge(call);
    if ('unjudged' in judged) this.#unjudged.set(judged.unjudged, (this.#unjudged.get(judged.unjudged) ?? 0) + 1);
    else this.#count(call, judged);
    return true;
  }

  async #judge({ facts, ...call }: StoredCall): Promise<{ isMatched: boolean; was: Decided; would: Decided } | { unjudged: Unjudged }> {
    if (!facts) return { unjudged: 'no_facts' };
    const was = facts.decidedBy?.decision ?? 'allow';
    const own = replayPolicy(this.#draft, { ...call, facts });
    if ('unjudged' in own) return own;
    // An added policy changes nothing for a call that it does not match.
    if (this.#isAdded && !own.isMatched) return { isMatched: false, was, would: was };
    const policies = facts.policiesVersion === undefined ? undefined : await this.#history.at(facts.policiesVersion);
    if (!policies) return { unjudged: 'policies_unknown' };
    const replayed = replayCall(policies, { ...call, facts }, this.#draft.id);
    return 'unjudged' in replayed ? replayed : { isMatched: own.isMatched, was, would: replayed.decision };
  }

  #count(call: StoredCall, { isMatched, was, would }: { isMatched: boolean; was: Decided; would: Decided }): void {
    if (isMatched) this.#matched += 1;
    const pair = this.#pairs.get(`${was} ${would}`) ?? { was, would, calls: 0 };
    pair.calls += 1;
    this.#pairs.set(`${was} ${would}`, pair);
    const examples = was !== would ? this.#changed : isMatched ? this.#unchanged : [];
    if (examples.length < POLICY.backtest.maxExamples) examples.push({ call, was, would });
  }

  result() {
    return {
      isCut: this.#isCut,
      total: this.#total,
      matched: this.#matched,
      unjudged: this.#unjudged,
      decisions: [...this.#pairs.values()].sort((a, b) => rank(a.was) - rank(b.was) || rank(a.would) - rank(b.would)),
      examples: [...this.#changed, ...this.#unchanged].slice(0, POLICY.backtest.maxExamples),
    };
  }
}

function rank(decision: Decided): number {
  return [...POLICY_DECISIONS, 'allow'].indexOf(decision);
}

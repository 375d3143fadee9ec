import type { Actor, ActorType, Approval } from '../approval.ts';
import { POLICY } from '../limits.ts';
import { isRecord } from '../unknown-values.ts';
import { ACTION_CATEGORIES, type ActionCategory, type Policy, type PolicyFields, type PolicyRules } from './policy.ts';
import type { RecordedFacts } from './recorded-facts.ts';
import { LONG_TEXT, type Outline, TEXT, UNKNOWN } from './value-outline.ts';

/** A decision about one held call, with what the search for repeated approvals needs. */
export interface DecidedCall
  extends Pick<
    Approval,
    'policyVersion' | 'workspaceId' | 'source' | 'integrationName' | 'actionName' | 'status' | 'decidedByType' | 'decidedById'
  > {
  /** Null if none are kept: then the call equals no other. */
  facts: RecordedFacts | null;
}

/** Equal calls that members or API keys approved, with none rejected in between. */
export interface RepeatedYeses {
  workspaceId: string;
  integrationName: string;
  actionName: string;
  /** Who approved, the latest first. */
  deciders: Actor[];
  count: number;
  /** What a narrower policy need not hold. */
  known: { category: ActionCategory; hosts: string[]; recipients: string[]; amounts: { path: string; most: number }[] };
}

/** This many equal approvals in a row are a reason to offer a narrower policy. */
const EQUAL_YESES = 20;

/**
 * Whose approvals count. The holder of a link may be the caller, and an end user decides for one
 * person only.
 */
const COUNTED: ReadonlySet<ActorType | null> = new Set(['user', 'api_key']);

/** Categories that always need an approval, because their effects cannot be undone. */
const ALWAYS_ASKED: ReadonlySet<ActionCategory> = new Set(['delete', 'admin', 'code']);
const MAX_AMOUNTS = 50;

/**
 * The longest row of at least `EQUAL_YESES` equal approvals up to now. `decisions` are those about
 * one policy, the newest first. Calls are equal if they have the same action, workspace and source,
 * and inputs of the same form. Any decision but a counted approval ends the rows of its action.
 * `words` are the fields whose value is one of a fixed set of words and not a currency.
 */
export function findRepeatedYeses(
  decisions: readonly DecidedCall[],
  { version }: Pick<Policy, 'version'>,
  words: ReadonlySet<string> = new Set(),
): RepeatedYeses | undefined {
  const ended = new Set<string>();
  const rows = new Map<string, DecidedCall[]>();
  for (const call of decisions) {
    const action = `${call.integrationName} ${call.actionName}`;
    if (call.status === 'pending' || ended.has(action)) continue;
    if (!isYes(call) || call.policyVersion !== version) {
      ended.add(action);
      continue;
    }
    const form = formOf(call, words);
    if (form !== undefined) rows.set(form, [...(rows.get(form) ?? []), call]);
  }
  const [longest] = [...rows.values()].sort((a, b) => b.length - a.length);
  return longest && longest.length >= EQUAL_YESES ? describe(longest) : undefined;
}

function isYes({ status, decidedByType }: DecidedCall): boolean {
  return (status === 'approved' || status === 'consumed') && COUNTED.has(decidedByType);
}

/** What equal calls have in common; undefined for a call that no narrower policy can describe. */
function formOf(call: DecidedCall, words: ReadonlySet<string>): string | undefined {
  const { workspaceId, source, integrationName, actionName, facts } = call;
  if (!facts || facts.notKept || facts.isBudgetSpent || facts.otherCategories || facts.paths) return undefined;
  if (!facts.category || ALWAYS_ASKED.has(facts.category)) return undefined;
  // A star in a list of a policy stands for any text.
  if ([...(facts.hosts?.found ?? []), ...(facts.recipients?.named ?? [])].some((text) => text.includes('*'))) return undefined;
  if (facts.hosts?.isDisguised || facts.hosts?.isDerived || facts.recipients?.isDisguised || facts.recipients?.readings) return undefined;
  const amounts = new Map<string, number>();
  const kinds = new Set<Kind>();
  const shape = shapeOf(facts.values, '', { amounts, kinds, words });
  // The bound of an amount holds in any currency, so it must not stand beside one.
  const isBound = !kinds.has('unknown') && !(kinds.has('currency') && amounts.size > 0) && amounts.size <= MAX_AMOUNTS;
  return isBound ? JSON.stringify([workspaceId, source, integrationName, actionName, facts.category, shape]) : undefined;
}

type Kind = 'unknown' | 'text' | 'currency' | 'number' | 'flag' | 'nothing';

/** What `shapeOf` collects, and the fields that hold no currency. */
interface Reading {
  amounts: Map<string, number>;
  kinds: Set<Kind>;
  words: ReadonlySet<string>;
}

/**
 * The names and kinds of the values of an input. Collects the largest number at each path, and the
 * kinds.
 */
function shapeOf(value: Outline, path: string, reading: Reading): unknown {
  const { amounts, kinds, words } = reading;
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOf(item, inside(path, '*'), reading))))].sort();
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    if (keys.some((key) => key.includes('.') || key === '*' || key === '')) kinds.add('unknown');
    return keys.map((key) => [key, shapeOf((value as Record<string, Outline>)[key]!, inside(path, key), reading)]);
  }
  const kind = words.has(path) ? 'text' : kindOf(value);
  kinds.add(kind);
  if (typeof value === 'number') amounts.set(path, Math.max(value, amounts.get(path) ?? value));
  return kind;
}

function kindOf(value: Outline): Kind {
  if (value === null) return 'nothing';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  if (value === UNKNOWN) return 'unknown';
  return value === TEXT || value === LONG_TEXT ? 'text' : 'currency';
}

function inside(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function describe(calls: readonly DecidedCall[]): RepeatedYeses {
  const [{ workspaceId, integrationName, actionName, facts }] = calls as [DecidedCall, ...DecidedCall[]];
  const amounts = new Map<string, number>();
  for (const call of calls) shapeOf(call.facts!.values, '', { amounts, kinds: new Set(), words: new Set() });
  const all = (read: (facts: RecordedFacts) => readonly string[] | undefined) =>
    [...new Set(calls.flatMap((call) => read(call.facts!) ?? []))].sort();
  return {
    ...{ workspaceId, integrationName, actionName, count: calls.length },
    deciders: decidersOf(calls),
    known: {
      category: facts!.category!,
      hosts: all(({ hosts }) => hosts?.found),
      recipients: all(({ recipients }) => recipients?.named),
      amounts: [...amounts].map(([path, most]) => ({ path, most })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    },
  };
}

/** Each decider once. */
function decidersOf(calls: readonly DecidedCall[]): Actor[] {
  const byId = new Map<string | null, Actor>();
  for (const { decidedByType, decidedById: id } of calls) if (!byId.has(id)) byId.set(id, { type: decidedByType!, id });
  return [...byId.values()];
}

/**
 * A policy that requires approval only for what the repeated approvals did not have: another kind
 * of call, domain or recipient, or a larger number. It applies only in the workspace of these
 * approvals. It is a shadow and comes directly before this policy. Undefined for a policy that
 * holds no calls now or has conditions, and if there would be too many entries.
 */
export function draftNarrower(policy: Policy, { workspaceId, known, count }: RepeatedYeses): PolicyFields | undefined {
  const { id: _, orgId: __, version: ___, createdAt: ____, updatedAt: _____, ...fields } = policy;
  const isPlain = policy.riskMode === 'always' || (policy.riskMode === 'rules' && Object.keys(policy.rules).length === 0);
  if (!isPlain || policy.decision !== 'require_approval' || policy.mode !== 'enforce' || !policy.enabled || policy.priority === 0)
    return undefined;
  const rules: PolicyRules = {
    actionCategories: ACTION_CATEGORIES.filter((category) => category !== known.category),
    ...(known.amounts.length > 0 && { amountThresholds: known.amounts.map(({ path, most }) => ({ path, gt: most })) }),
    recipientAllowlist: known.recipients,
    domainAllowlist: known.hosts,
  };
  if (Object.values(rules).flat().length > POLICY.maxPatterns) return undefined;
  const name = `${policy.name.slice(0, MAX_NAME)}: only what is new`;
  const description = `Drafted from ${count} equal yeses to "${policy.name}". It asks only about what they did not have.`;
  const changed = { workspaceId, mode: 'shadow', priority: policy.priority - 1, riskMode: 'rules', rules, metadata: null } as const;
  return { ...fields, name, description, ...changed };
}

const MAX_NAME = 100;

import type { Actor, ActorType, Approval } from '../approval.ts';
import { POLICY } from '../limits.ts';
import { isRecord } from '../unknown-values.ts';
import type { ActionCategory, CallException, Policy, PolicyFields, PolicyRules } from './policy.ts';
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
  /** The calls that a narrower policy need not hold. */
  known: CallException;
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

/** The fields of an action whose value is one of a fixed set of words and not a currency. */
export type WordFields = (call: Pick<DecidedCall, 'integrationName' | 'actionName'>) => ReadonlySet<string>;

/**
 * The rows of at least `EQUAL_YESES` equal approvals up to now, the longest first. `decisions` are
 * those about one policy, the newest first. Calls are equal if they have the same action, workspace
 * and source, and inputs of the same form. Any decision but a counted approval ends the rows of its
 * action.
 */
export function findRepeatedYeses(
  decisions: readonly DecidedCall[],
  { version }: Pick<Policy, 'version'>,
  wordFields: WordFields = () => new Set(),
): RepeatedYeses[] {
  const ended = new Set<string>();
  const rows = new Map<string, DecidedCall[]>();
  for (const call of decisions) {
    const action = `${call.integrationName} ${call.actionName}`;
    if (call.status === 'pending' || ended.has(action)) continue;
    if (!isYes(call) || call.policyVersion !== version) {
      ended.add(action);
      continue;
    }
    const form = formOf(call, wordFields(call));
    if (form !== undefined) rows.set(form, [...(rows.get(form) ?? []), call]);
  }
  return [...rows.values()]
    .filter(({ length }) => length >= EQUAL_YESES)
    .sort((a, b) => b.length - a.length)
    .map(describe);
}

function isYes({ status, decidedByType }: DecidedCall): boolean {
  return (status === 'approved' || status === 'consumed') && COUNTED.has(decidedByType);
}

/** What equal calls have in common; undefined for a call that no narrower policy can describe. */
function formOf(call: DecidedCall, words: ReadonlySet<string>): string | undefined {
  const { workspaceId, source, integrationName, actionName, facts } = call;
  if (!facts || facts.notKept || facts.isBudgetSpent || facts.otherCategories) return undefined;
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
      ...{ integrationName, actionName, actionCategory: facts!.category! },
      domains: all(({ hosts }) => hosts?.found),
      recipients: all(({ recipients }) => recipients?.named),
      paths: all(({ paths }) => paths?.named),
      amounts: [...amounts].map(([path, upTo]) => ({ path, upTo })).sort((a, b) => (a.path < b.path ? -1 : 1)),
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
 * A copy of the policy with an exception for calls like the repeated approvals. It still holds
 * calls of another action or kind, with another domain, recipient or path, or with a larger number.
 * It applies only in the workspace of the longest row. It is a shadow and comes directly before
 * this policy. Undefined for a policy that holds no calls now, and if there would be too many
 * exceptions.
 */
export function draftNarrower(policy: Policy, rows: readonly RepeatedYeses[]): PolicyFields | undefined {
  const { id: _, orgId: __, version: ___, createdAt: ____, updatedAt: _____, ...fields } = policy;
  const isAsking = policy.decision === 'require_approval' && policy.mode === 'enforce' && policy.enabled;
  if (!isAsking || policy.priority === 0 || !rows[0]) return undefined;
  const { workspaceId } = rows[0];
  const used = rows.filter((row) => row.workspaceId === workspaceId);
  const { exceptions = [], ...conditions } = policy.riskMode === 'always' ? {} : policy.rules;
  const rules: PolicyRules = { ...conditions, exceptions: [...exceptions, ...used.map(({ known }) => known)] };
  if (sizeOf(rules) > POLICY.maxPatterns) return undefined;
  const name = `${policy.name.slice(0, MAX_NAME)}: only what is new`;
  const count = used.reduce((sum, row) => sum + row.count, 0);
  const description = `Drafted from ${count} equal yeses to "${policy.name}". It asks only about what they did not have.`;
  const riskMode = policy.riskMode === 'always' ? 'rules' : policy.riskMode;
  return { ...fields, name, description, workspaceId, mode: 'shadow', priority: policy.priority - 1, riskMode, rules, metadata: null };
}

/** Entries of all lists. */
function sizeOf({ exceptions = [], ...conditions }: PolicyRules): number {
  const inside = exceptions.flatMap(({ domains, recipients, paths, amounts }) => [...domains, ...recipients, ...paths, ...amounts]);
  return Object.values(conditions).flat().length + exceptions.length + inside.length;
}

const MAX_NAME = 100;

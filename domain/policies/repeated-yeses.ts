import type { Actor, ActorType, Approval } from '../approval.ts';
import { POLICY } from '../limits.ts';
import { isRecord } from '../unknown-values.ts';
import { ACTION_CATEGORIES, type ActionCategory, type Policy, type PolicyFields, type PolicyRules } from './policy.ts';
import type { RecordedFacts } from './recorded-facts.ts';
import { LONG_TEXT, type Outline, TEXT, UNKNOWN } from './value-outline.ts';

/** A decision about one call that needed approval. */
export interface DecidedCall
  extends Pick<
    Approval,
    'policyVersion' | 'workspaceId' | 'source' | 'integrationName' | 'actionName' | 'status' | 'decidedByType' | 'decidedById'
  > {
  /** Null if no facts are kept. The call then equals no other call. */
  facts: RecordedFacts | null;
}

/** Equal calls that were approved in a row. */
export interface RepeatedYeses {
  workspaceId: string;
  integrationName: string;
  actionName: string;
  /** The latest first. */
  deciders: Actor[];
  count: number;
  /** A narrower policy lets calls pass that have only these properties. */
  known: { category: ActionCategory; hosts: string[]; recipients: string[]; amounts: { path: string; most: number }[] };
}

/** Number of equal approvals in a row after which a narrower policy is offered. */
const EQUAL_YESES = 20;

/**
 * The holder of a link may be the caller, and an end user decides for one person only, so neither
 * counts.
 */
const COUNTED: ReadonlySet<ActorType | null> = new Set(['user', 'api_key']);

/** Never relaxed, because calls of these categories may have irreversible effects. */
const ALWAYS_ASKED: ReadonlySet<ActionCategory> = new Set(['delete', 'admin', 'code']);
const MAX_AMOUNTS = 50;

/** What the schema of the action tells about the fields of an input. */
export interface KnownFields {
  /** Fields whose value is one of a fixed set of words, and not a currency. */
  words: ReadonlySet<string>;
  /** Fields with a default, such as a timeout. They hold no ids. */
  settings: ReadonlySet<string>;
}

const NO_FIELDS: KnownFields = { words: new Set(), settings: new Set() };

/**
 * Returns the longest series of equal approvals under this policy version. Undefined if the
 * series is short, or if a number in the inputs could be an id. `decisions` are about one policy,
 * the newest first.
 */
export function findRepeatedYeses(
  decisions: readonly DecidedCall[],
  { version }: Pick<Policy, 'version'>,
  { words, settings }: KnownFields = NO_FIELDS,
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
  return longest && longest.length >= EQUAL_YESES ? describe(longest, settings) : undefined;
}

function isYes({ status, decidedByType }: DecidedCall): boolean {
  return (status === 'approved' || status === 'consumed') && COUNTED.has(decidedByType);
}

/** Undefined for a call that no narrower policy can describe. */
function formOf(call: DecidedCall, words: ReadonlySet<string>): string | undefined {
  const { workspaceId, source, integrationName, actionName, facts } = call;
  if (!facts || facts.notKept || facts.isBudgetSpent || facts.otherCategories || facts.paths) return undefined;
  if (!facts.category || ALWAYS_ASKED.has(facts.category)) return undefined;
  // In a list of a policy, `*` matches any text.
  if ([...(facts.hosts?.found ?? []), ...(facts.recipients?.named ?? [])].some((text) => text.includes('*'))) return undefined;
  if (facts.hosts?.isDisguised || facts.hosts?.isDerived || facts.recipients?.isDisguised || facts.recipients?.readings) return undefined;
  const numbers = new Map<string, Range>();
  const kinds = new Set<Kind>();
  const shape = shapeOf(facts.values, '', { numbers, kinds, words });
  // The bound of an amount applies in any currency, so numbers and currencies together cannot be
  // described.
  const isBound = !kinds.has('unknown') && !(kinds.has('currency') && numbers.size > 0) && numbers.size <= MAX_AMOUNTS;
  return isBound ? JSON.stringify([workspaceId, source, integrationName, actionName, facts.category, shape]) : undefined;
}

type Kind = 'unknown' | 'text' | 'currency' | 'number' | 'flag' | 'nothing';

interface Range {
  least: number;
  most: number;
}

interface Reading {
  numbers: Map<string, Range>;
  kinds: Set<Kind>;
  words: ReadonlySet<string>;
}

function shapeOf(value: Outline, path: string, reading: Reading): unknown {
  const { numbers, kinds, words } = reading;
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOf(item, inside(path, '*'), reading))))].sort();
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    if (keys.some((key) => key.includes('.') || key === '*' || key === '')) kinds.add('unknown');
    return keys.map((key) => [key, shapeOf((value as Record<string, Outline>)[key]!, inside(path, key), reading)]);
  }
  const kind = words.has(path) ? 'text' : kindOf(value);
  kinds.add(kind);
  if (typeof value === 'number') {
    const { least, most } = numbers.get(path) ?? { least: value, most: value };
    numbers.set(path, { least: Math.min(value, least), most: Math.max(value, most) });
  }
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

/**
 * Undefined if a number other than a setting is the same in all calls, because it may be an id. The
 * threshold of the drafted policy would let calls with smaller ids pass.
 */
function describe(calls: readonly DecidedCall[], settings: ReadonlySet<string>): RepeatedYeses | undefined {
  const [{ workspaceId, integrationName, actionName, facts }] = calls as [DecidedCall, ...DecidedCall[]];
  const numbers = new Map<string, Range>();
  for (const call of calls) shapeOf(call.facts!.values, '', { numbers, kinds: new Set(), words: new Set() });
  if ([...numbers].some(([path, { least, most }]) => least === most && !settings.has(path))) return undefined;
  const all = (read: (facts: RecordedFacts) => readonly string[] | undefined) =>
    [...new Set(calls.flatMap((call) => read(call.facts!) ?? []))].sort();
  return {
    ...{ workspaceId, integrationName, actionName, count: calls.length },
    deciders: decidersOf(calls),
    known: {
      category: facts!.category!,
      hosts: all(({ hosts }) => hosts?.found),
      recipients: all(({ recipients }) => recipients?.named),
      amounts: [...numbers].map(([path, { most }]) => ({ path, most })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    },
  };
}

function decidersOf(calls: readonly DecidedCall[]): Actor[] {
  const byId = new Map<string | null, Actor>();
  for (const { decidedByType, decidedById: id } of calls) if (!byId.has(id)) byId.set(id, { type: decidedByType!, id });
  return [...byId.values()];
}

/**
 * Drafts a shadow policy that requires approval only for calls that differ from the repeated
 * approvals. Undefined if `policy` cannot be narrowed this way.
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
    // No approved call had a path. Every path is under this prefix.
    storagePathPrefixes: ['/'],
  };
  if (Object.values(rules).flat().length > POLICY.maxPatterns) return undefined;
  const name = `${policy.name.slice(0, MAX_NAME)}: only what is new`;
  const description = `Drafted from ${count} equal approvals under "${policy.name}". Asks only about calls that differ from these.`;
  const changed = { workspaceId, mode: 'shadow', priority: policy.priority - 1, riskMode: 'rules', rules, metadata: null } as const;
  return { ...fields, name, description, ...changed };
}

const MAX_NAME = 100;

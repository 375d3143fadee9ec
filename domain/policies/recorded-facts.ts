import { maskSecrets } from '../redaction/mask-secrets.ts';
import { previewInput } from '../redaction/preview-input.ts';
import { redactText } from '../redaction/redact-text.ts';
import { type CallFacts, openFacts, type Paths, type RuleSubject } from './call-facts.ts';
import type { FoundHosts } from './find-hosts.ts';
import type { ShadowJudgement } from './judge-shadows.ts';
import type { Matched } from './match-policies.ts';
import type { ActionCategory, ConnectionStrategy, PolicyDecision } from './policy.ts';
import type { Recipients } from './read-recipient.ts';
import type { Assessment } from './risk.ts';
import { textsIn } from './texts-in.ts';
import { fitOutline, type Outline, outlineOf } from './value-outline.ts';
import { WorkBudget } from './work-budget.ts';

/** Maximum size of the facts of one call, in bytes of JSON. */
export const FACTS_MAX_BYTES = 2000;

interface Judgement extends Matched {
  /** Undefined if policies changed while they were loaded. */
  policiesVersion: number | undefined;
  /** Assessments by policy id. */
  assessments: ReadonlyMap<string, Assessment>;
  /** Whether the call was too large to be judged completely. */
  isBudgetSpent: boolean;
  shadows?: readonly ShadowJudgement[] | undefined;
}

/** `large`: too large or not storable. `hidden`: partly hidden from reviewers. */
type NotKept = 'large' | 'hidden';

/**
 * What a call's record keeps for later judgements, without values that previews hide. A fact that
 * is absent and not in `notKept` is empty.
 */
export interface RecordedFacts {
  policiesVersion?: number | undefined;
  /** Absent if no policy decided; the call was then let through. */
  decidedBy?: { policyId: string; version: number; decision: PolicyDecision } | undefined;
  /** Scores by policy id. Null if the model gave no score. */
  model?: Record<string, number | null> | undefined;
  isBudgetSpent?: true | undefined;
  shadow?: readonly ShadowJudgement[] | undefined;
  strategy?: ConnectionStrategy | undefined;
  category?: ActionCategory | undefined;
  otherCategories?: readonly ActionCategory[] | undefined;
  hosts?: { found: string[]; isDisguised?: true | undefined; isDerived?: true | undefined } | undefined;
  /** If absent, `readings` equals `named`. */
  recipients?: { named: string[]; readings?: string[] | undefined; isDisguised?: true | undefined } | undefined;
  paths?: { named: string[]; readings?: string[] | undefined } | undefined;
  values: Outline;
  notKept?: Partial<Record<FactName, NotKept>> | undefined;
}

export type FactName = 'hosts' | 'recipients' | 'paths';

interface RecordedSubject extends RuleSubject {
  input: Record<string, unknown>;
  hiddenPaths: readonly string[];
  connectionStrategy: ConnectionStrategy | null;
}

const known = new WeakMap<object, Judgement>();

/** Keeps the judgement of the gate until the call is recorded. The key is the input object. */
export function noteJudgement({ input }: Pick<RecordedSubject, 'input'>, judgement: Judgement): void {
  known.set(input, judgement);
}

/** Returns the facts of a call as JSON. Null if no judgement of the call was noted. */
export function factsToKeep(call: RecordedSubject): string | null {
  const judgement = known.get(call.input);
  return judgement ? JSON.stringify(recordFacts(call, judgement)) : null;
}

/** The work budget of one call, in nanoseconds. Facts that need more are recorded as `large`. */
const RECORDING_WORK = 2_000_000;
/** In characters. All facts of a larger input are recorded as `large`. */
const MAX_READ = 16_000;

/** Returns the facts of a judged call, without secrets, in at most FACTS_MAX_BYTES. */
export function recordFacts(call: RecordedSubject, judgement: Judgement): RecordedFacts {
  const { shown: input, isRedacted, isCut } = withoutSecrets(call);
  const kept: RecordedFacts = { ...judged(judgement), ...kindOf(call), values: '?', notKept: undefined };
  const work = new WorkBudget(RECORDING_WORK);
  const found = readFacts(openFacts(call, work));
  const shown = isRedacted ? readFacts(openFacts(visible(call, input), work)) : found;
  const notKept: RecordedFacts['notKept'] = {};
  for (const name of FACTS) {
    const fact = isCut ? undefined : found[name]();
    const reason = fact === undefined ? 'large' : isSame(fact, shown[name]()) && !holdsSecret(fact) ? undefined : 'hidden';
    if (reason) notKept[name] = reason;
    else if (!isStorable(fact) || !fits({ ...kept, [name]: fact, notKept: ALL_LARGE })) notKept[name] = 'large';
    else if (fact !== null) Object.assign(kept, { [name]: fact });
  }
  if (Object.keys(notKept).length > 0) kept.notKept = notKept;
  const outline = outlineOf(call.input, input, work);
  return { ...kept, values: isStorable(outline) ? fitOutline(outline, FACTS_MAX_BYTES - bytesOf(kept)) : '?' };
}

const FACTS = ['hosts', 'recipients', 'paths'] as const satisfies FactName[];
const ALL_LARGE = { hosts: 'large', recipients: 'large', paths: 'large' } as const;

function judged({ policiesVersion, match, assessments, isBudgetSpent, shadows }: Judgement) {
  const scores = [...assessments].slice(0, MAX_SCORES);
  return {
    policiesVersion,
    decidedBy: match && { policyId: match.policy.id, version: match.policy.version, decision: match.policy.decision },
    model: scores.length > 0 ? Object.fromEntries(scores.map(([id, one]) => [id, 'problem' in one ? null : one.score])) : undefined,
    isBudgetSpent: isBudgetSpent || undefined,
    shadow: shadows?.length ? shadows : undefined,
  };
}

const MAX_SCORES = 8;

function kindOf({ connectionStrategy, category, otherCategories }: RecordedSubject) {
  return {
    strategy: connectionStrategy ?? undefined,
    category: category ?? undefined,
    otherCategories: otherCategories?.length ? otherCategories : undefined,
  };
}

/**
 * A value that the workspace hides can occur anywhere. Only the slower preview finds all
 * occurrences.
 */
function withoutSecrets({ input, hiddenPaths }: RecordedSubject) {
  if (hiddenPaths.length === 0) {
    const { masked: shown, ...rest } = maskSecrets(input);
    return { shown, ...rest };
  }
  const { preview: shown, redactedPaths, isCut = false } = previewInput(input, hiddenPaths, [], { left: MAX_READ });
  return { shown, isRedacted: redactedPaths.length > 0, isCut };
}

/** Whether recipients or paths contain a secret. */
function holdsSecret(fact: object | null): boolean {
  const named: string[] = (fact && 'named' in fact && (fact.named as string[])) || [];
  return named.some((text) => !PLAIN.test(text) && redactText(text) !== text);
}

/** Matches most texts without a credential, faster than `redactText`. */
const PLAIN = /^[@#/]?[a-z]{1,12}\d{0,4}(?:[._/+-][a-z]{1,12}\d{0,4}){0,7}(?:@[a-z]{1,20}\d{0,4}(?:[.-][a-z]{1,20}\d{0,4}){0,5})?$/;

function visible(call: RecordedSubject, input: Record<string, unknown>): RuleSubject {
  const texts = new Set(textsIn(input));
  const shown = (values: string[] | undefined) => values?.filter((value) => texts.has(value));
  return { ...call, input, recipients: shown(call.recipients), paths: shown(call.paths) };
}

/** Null if the fact is empty, undefined if it could not be extracted. */
function readFacts(facts: CallFacts) {
  return {
    hosts: () => stored(facts.hosts(), storedHosts),
    recipients: () => stored(facts.recipients(), storedRecipients),
    paths: () => stored(facts.paths(), storedPaths),
  };
}

function stored<Fact, Stored>(fact: Fact | undefined, store: (fact: Fact) => Stored): Stored | undefined {
  return fact === undefined ? undefined : store(fact);
}

function storedHosts({ hosts, isDisguised, isDerived }: FoundHosts) {
  return hosts.size === 0 ? null : { found: [...hosts], isDisguised: isDisguised || undefined, isDerived: isDerived || undefined };
}

function storedRecipients({ named, readings, isDisguised }: Recipients) {
  if (named.length === 0 && readings.length === 0 && !isDisguised) return null;
  return { named, readings: isSame(named, readings) ? undefined : readings, isDisguised: isDisguised || undefined };
}

function storedPaths({ named, readings }: Paths) {
  return named.length === 0 ? null : { named, readings: isSame(named, [...readings]) ? undefined : [...readings] };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether Postgres can store a value. It stores no NUL and no half of a surrogate pair. */
function isStorable(value: unknown): boolean {
  return !/\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}

function fits(kept: RecordedFacts): boolean {
  return bytesOf(kept) <= FACTS_MAX_BYTES;
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

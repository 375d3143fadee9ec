import { valuesAtPaths } from '../redaction/values-at-paths.ts';
import { type FoundHosts, findHosts } from './find-hosts.ts';
import { PATH_MAX_LENGTH, readPath } from './normal-path.ts';
import { isAsciiText, normalText } from './normal-text.ts';
import type { ActionCategory } from './policy.ts';
import { type Recipients, readRecipients } from './read-recipient.ts';
import { WorkBudget } from './work-budget.ts';

/** The parts of a call that rules check. */
export interface RuleSubject {
  /** Null for an unknown action. */
  category: ActionCategory | null;
  /** Further possible categories, if the receiver of the input determines the category. */
  otherCategories?: readonly ActionCategory[] | undefined;
  input: unknown;
  /**
   * The recipients that the action declares. Undefined: rules search the input for fields with the
   * usual names.
   */
  recipients?: string[] | undefined;
  paths?: string[] | undefined;
}

/**
 * The facts of one call, extracted on first use and shared by all policies. A fact is undefined if
 * extracting it would take too much work.
 */
export interface CallFacts {
  /** The work budget, shared by all policies. */
  work: WorkBudget;
  hosts(): FoundHosts | undefined;
  recipients(): Recipients | undefined;
  paths(): Paths | undefined;
  valuesAt(path: string): unknown[] | undefined;
}

/** A reading is a possible meaning of a path. */
export interface Paths {
  named: string[];
  /** Every reading and its parent folders, up to FOLDER_MAX_LENGTH. */
  above: ReadonlySet<string>;
  readings: ReadonlySet<string>;
}

const known = new WeakMap<RuleSubject, CallFacts>();

/**
 * Returns the facts of a call. They are cached per `subject` object, so its input must not change.
 */
export function factsOf(subject: RuleSubject): CallFacts {
  const kept = known.get(subject);
  if (kept) return kept;
  const facts = openFacts(subject);
  known.set(subject, facts);
  return facts;
}

/** Sets the facts that `factsOf` returns. */
export function giveFacts(subject: RuleSubject, facts: CallFacts): void {
  known.set(subject, facts);
}

/** Returns the facts of a call without using the cache. */
export function openFacts(subject: RuleSubject, work = new WorkBudget()): CallFacts {
  const valuesAt = lazy(() => valuesAtPaths(subject.input, work));
  return {
    work,
    hosts: lazy(() => extractHosts(subject.input, work)),
    recipients: lazy(() => extractRecipients(subject, work)),
    paths: lazy(() => extractPaths(subject, work)),
    valuesAt: (path) => valuesAt()(path),
  };
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const PER_VALUE = 60;
const PER_RECIPIENT = { simple: 700, other: 4000, ofCharacter: 60, ofPart: 3000, ofAt: 5000 };
/** A longer text names too many recipients to be read. */
const RECIPIENTS_MAX_LENGTH = 65_536;
const PER_PATH = { least: 1000, ofCharacter: 60 };

function extractHosts(input: unknown, work: WorkBudget): FoundHosts | undefined {
  const found: FoundHosts = { hosts: new Set(), isDisguised: false };
  const isWhole = eachText(input, work, (text) => findHosts(text, found, work));
  return isWhole ? found : undefined;
}

function extractRecipients(subject: RuleSubject, work: WorkBudget): Recipients | undefined {
  const [written, named, readings] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let isDisguised = false;
  const seen = new Set<string>();
  const add = (text: string): boolean => {
    if (seen.has(text)) return work.spend(PER_VALUE);
    seen.add(text);
    const isShort = text.length < 100 && !/[\s,;%+"<]/.test(text);
    if (text.length > RECIPIENTS_MAX_LENGTH || !work.spend(isShort ? PER_RECIPIENT.simple : costOfRecipients(text))) return false;
    const read = readRecipients(text);
    for (const one of read.written) written.add(one);
    for (const one of read.named) named.add(one);
    for (const one of read.readings) readings.add(one);
    isDisguised ||= read.isDisguised;
    return true;
  };
  const isWhole = subject.recipients ? subject.recipients.every(add) : eachNamed(subject.input, RECIPIENT_FIELDS, work, add);
  return isWhole ? { written: [...written], named: [...named], readings: [...readings], isDisguised } : undefined;
}

const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'channel', 'user']);
function costOfRecipients(text: string): number {
  const { other, ofCharacter, ofPart, ofAt } = PER_RECIPIENT;
  let [parts, ats] = [0, 0];
  for (const character of text) {
    if (SEPARATORS.has(character)) parts += 1;
    else if (character === '@' || character === '\uff20' || character === '%') ats += 1;
  }
  return other + text.length * ofCharacter + parts * ofPart + ats * ofAt;
}

const SEPARATORS = new Set(' \t\r\n,;:<>()[]"\'?&=|/\\\uff0c\uff1b\u3001');

const PATH_FIELDS = new Set(['path', 'prefix', 'file', 'filepath', 'filename', 'key', 'destination']);

/** No path prefix of a policy is longer, so longer folders are not needed. */
const FOLDER_MAX_LENGTH = 1000;

function extractPaths(subject: RuleSubject, work: WorkBudget): Paths | undefined {
  const named: string[] = [];
  const above = new Set<string>();
  const readings = new Set<string>();
  const add = (path: string): boolean => {
    if (path.length > PATH_MAX_LENGTH || !work.spend(PER_PATH.least + path.length * PER_PATH.ofCharacter)) return false;
    named.push(path);
    for (const reading of readPath(path)) {
      readings.add(reading);
      addFolders(reading, above);
    }
    return true;
  };
  const isWhole = subject.paths ? subject.paths.every(add) : eachNamed(subject.input, PATH_FIELDS, work, add);
  return isWhole ? { named, above, readings } : undefined;
}

/** Adds a path, and the folders above the path. */
export function addFolders(path: string, above: Set<string>): void {
  above.add(path);
  above.add('');
  for (let slash = path.indexOf('/'); slash !== -1 && slash <= FOLDER_MAX_LENGTH; slash = path.indexOf('/', slash + 1)) {
    above.add(path.slice(0, slash));
  }
}

/**
 * Visits texts, keys and numbers. A number can be the handle of a recipient. Returns whether the
 * whole value was visited.
 */
function eachText(value: unknown, work: WorkBudget, visit: (text: string) => boolean): boolean {
  if (!work.spend(PER_VALUE)) return false;
  if (typeof value === 'string') return visit(value);
  if (typeof value === 'number') return visit(String(value));
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every((item) => eachText(item, work, visit));
  for (const key in value) {
    if (!visit(key) || !eachText((value as Record<string, unknown>)[key], work, visit)) return false;
  }
  return true;
}

/**
 * Searches at every depth, because a message can be an object within the input. Returns whether the
 * whole value was visited.
 */
function eachNamed(value: unknown, names: ReadonlySet<string>, work: WorkBudget, visit: (text: string) => boolean): boolean {
  if (!work.spend(PER_VALUE)) return false;
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every((item) => eachNamed(item, names, work, visit));
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    const isNamed = key.length < MAX_FIELD_NAME && names.has(isAsciiText(key) ? key.toLowerCase() : normalText(key));
    if (!(isNamed ? eachText(item, work, visit) : eachNamed(item, names, work, visit))) return false;
  }
  return true;
}

const MAX_FIELD_NAME = 50;

import { type PreparedCode, prepareCode } from '../reader/prepare-code.ts';
import { hostsIn, leadingComment, STORAGE_CALL, storageNamesOf, textsIn, textsOf } from './hints.ts';
import { type KnownParts, knownParts } from './known-parts.ts';
import { codeNames } from './names.ts';
import { untouchedGlobals } from './read-only.ts';
import { scanForSurprises } from './scan.ts';
import { readScopes, type Scopes } from './scopes.ts';
import { type State, type Surface, signal, TooDetailed } from './state.ts';
import { lineAt, lineStartsOf } from './syntax.ts';
import { evaluate } from './values.ts';
import { walkCalls } from './walk.ts';
import type { FoundCall } from './walk-state.ts';

/** A call that the code may make. */
export interface PredictedCall {
  alias: string;
  action: string;
  input?: unknown;
  /** Whether all of the input is constant. False beyond MAX_KNOWN_INPUT_BYTES. */
  inputKnown: boolean;
  parts?: KnownParts;
  /** Whether the call may run more than once. */
  repeats: boolean;
  /** Line and column count from 1. */
  line: number;
  column: number;
}

export interface CodePlan {
  calls: PredictedCall[];
  /**
   * Hosts in the code, with those of inputs first. The list is cut at MAX_LISTED,
   * `externalDomainCount` is not.
   */
  externalDomains: string[];
  externalDomainCount: number;
  storageIndicators: string[];
  storageIndicatorCount: number;
  /** Why calls could not be predicted, and which lists are incomplete. */
  dynamicSignals: string[];
  /**
   * `exact`: all calls and inputs are known. `partial`: all calls are known, but not all inputs or
   * counts. `dynamic`: there may be calls that are not known.
   */
  analysisConfidence: 'exact' | 'partial' | 'dynamic';
  leadingComment: string | null;
}

/**
 * Predicts the actions that code will call, without running it. If the confidence is `exact` or
 * `partial`, the code calls no other action. A known input is exactly the input that will be sent.
 */
export function planCode(code: string, surface: Surface): CodePlan {
  return planPrepared(prepareCode(code), surface);
}

export function planPrepared(prepared: PreparedCode, surface: Surface): CodePlan {
  try {
    return prepared.program ? planProgram(prepared, surface) : unreadable(prepared.syntaxError?.tooDeep ? TOO_DEEP : 'syntax error');
  } catch (error) {
    if (error instanceof RangeError) return unreadable(TOO_DEEP);
    throw error;
  }
}

const MAX_PREDICTED_CALLS = 200;
export const MAX_LISTED = 50;
const MAX_KNOWN_INPUT_BYTES = 1024 * 1024;
const MAX_RECURSIVE_FUNCTIONS = 20;
/** Maximum number of steps of each analysis, detailed and coarse: about a fifth of a second. */
const MAX_FUEL = 1_000_000;
const TOO_DEEP = 'the code is nested too deeply to be read';

/** The plan of code that cannot be read, with the reason. */
export function unreadable(words: string): CodePlan {
  const nothing = { calls: [], externalDomains: [], storageIndicators: [], leadingComment: null };
  return { ...nothing, externalDomainCount: 0, storageIndicatorCount: 0, dynamicSignals: [words], analysisConfidence: 'dynamic' };
}

function planProgram(prepared: PreparedCode, surface: Surface): CodePlan {
  const scopes = readScopes(prepared.program!);
  const opaque: State['opaque'] = new Set();
  const fuel = { left: Math.min(50_000 + 10 * prepared.text.length, MAX_FUEL) };
  for (let attempt = 0; attempt <= MAX_RECURSIVE_FUNCTIONS; attempt++) {
    const state = startState(prepared, surface, scopes, opaque, fuel);
    try {
      return readProgram(prepared, state);
    } catch (error) {
      if (!(error instanceof TooDetailed)) throw error;
      if (!error.recursive) break;
      opaque.add(error.recursive);
    }
  }
  return readCoarsely(prepared, startState(prepared, surface, scopes, 'all', { left: MAX_FUEL }));
}

function readCoarsely(prepared: PreparedCode, state: State): CodePlan {
  try {
    return readProgram(prepared, state);
  } catch (error) {
    if (error instanceof TooDetailed) return unreadable('the code is too intricate to be read');
    throw error;
  }
}

function startState(
  { text, program }: PreparedCode,
  surface: Surface,
  scopes: Scopes,
  opaque: State['opaque'],
  fuel: State['fuel'],
): State {
  return {
    source: text,
    lineStarts: lineStartsOf(text),
    program: program!,
    scopes,
    ...codeNames(surface),
    opaque,
    tampered: false,
    signals: new Map(),
    fuel,
    resolving: new Set(),
    settled: new Map(),
    followed: new Map(),
    leaves: new Map(),
    evaluate,
    envReads: 0,
    untouchedGlobals: untouchedGlobals(scopes),
  };
}

function readProgram(prepared: PreparedCode, state: State): CodePlan {
  scanForSurprises(state);
  const draft: Draft = { calls: [], domains: new Set(), storage: new Set(), knownBytes: 0 };
  walkCalls(state, prepared.bareArrow, (found) => addCall(state, draft, found));
  for (const { text, open } of textsOf(state.program)) for (const host of hostsIn(text, open)) draft.domains.add(host);
  return {
    calls: draft.calls,
    externalDomains: [...draft.domains].slice(0, MAX_LISTED),
    externalDomainCount: draft.domains.size,
    storageIndicators: [...draft.storage].slice(0, MAX_LISTED),
    storageIndicatorCount: draft.storage.size,
    dynamicSignals: [...wordsOf(state), ...cutWords('domains', draft.domains.size), ...cutWords('storage names', draft.storage.size)],
    analysisConfidence: confidenceOf(state, draft.calls),
    leadingComment: leadingComment(state.source, state.program, prepared.bareArrow),
  };
}

interface Draft {
  calls: PredictedCall[];
  domains: Set<string>;
  storage: Set<string>;
  knownBytes: number;
}

function addCall(state: State, draft: Draft, found: FoundCall): void {
  const { alias, action, repeats } = found;
  if (draft.calls.length === MAX_PREDICTED_CALLS) {
    if (state.opaque !== 'all') throw new TooDetailed();
    signal(state, `the code holds more than ${MAX_PREDICTED_CALLS} calls`, found.node);
    return;
  }
  const line = lineAt(state.lineStarts, found.node.start);
  const column = found.node.start - state.lineStarts[line - 1]! + 1;
  const json = inputOf(state, found);
  draft.knownBytes += json?.length ?? 0;
  const known = json !== undefined && draft.knownBytes <= MAX_KNOWN_INPUT_BYTES;
  const input: unknown = known ? JSON.parse(json) : undefined;
  const parts = json === undefined ? partsOf(state, draft, found) : undefined;
  draft.calls.push({ alias, action, ...(known ? { input } : {}), inputKnown: known, ...(parts && { parts }), repeats, line, column });
  const seen = known ? input : parts?.known.map(({ value }) => value);
  for (const text of textsIn(seen)) for (const host of hostsIn(text)) draft.domains.add(host);
  const names = STORAGE_CALL.test(`${alias} ${action}`) ? storageNamesOf(state, found.call?.arguments[0], found.env) : [];
  for (const name of names) draft.storage.add(`${alias}.${action}: ${name}`);
  for (const text of textsIn(seen)) if (PERSISTENT.test(text)) draft.storage.add(`${alias}.${action}: ${text}`);
}

const PERSISTENT = /^[\w./-]{0,100}persistent[\w./-]{0,100}$/i;

function inputOf(state: State, { call, env }: FoundCall): string | undefined {
  const [argument] = call?.arguments ?? [];
  if (!call || state.tampered || argument?.type === 'SpreadElement') return undefined;
  if (!argument) return '{}';
  const input = evaluate(state, argument, env);
  return input.kind === 'constant' ? (JSON.stringify(input.value) ?? '{}') : undefined;
}

function partsOf(state: State, draft: Draft, { call, env }: FoundCall): KnownParts | undefined {
  const [argument] = call?.arguments ?? [];
  if (state.tampered || argument?.type !== 'ObjectExpression') return undefined;
  const parts = knownParts(state, argument, env);
  draft.knownBytes += JSON.stringify(parts.known).length;
  return parts.known.length > 0 && draft.knownBytes <= MAX_KNOWN_INPUT_BYTES ? parts : undefined;
}

function wordsOf({ signals, lineStarts }: State): string[] {
  const words = [...signals].slice(0, MAX_LISTED).map(([words, offset]) => `${words} (line ${lineAt(lineStarts, offset)})`);
  return signals.size > MAX_LISTED ? [...words, `and ${signals.size - MAX_LISTED} more reasons, which are not listed`] : words;
}

function cutWords(what: string, count: number): string[] {
  return count > MAX_LISTED ? [`the code names ${count} ${what}, of which ${count - MAX_LISTED} are not listed`] : [];
}

function confidenceOf(state: State, calls: PredictedCall[]): CodePlan['analysisConfidence'] {
  if (state.signals.size > 0) return 'dynamic';
  return calls.every(({ inputKnown, repeats }) => inputKnown && !repeats) ? 'exact' : 'partial';
}

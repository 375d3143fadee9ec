import type { AnyNode, Program, VariableDeclarator } from 'acorn';
import type { Binding, Scopes } from './scopes.ts';
import type { FunctionNode, PatternLeaf } from './syntax.ts';

/** The actions that the code may call, by alias. */
export type Surface = Record<string, readonly string[]>;

/**
 * The analysis is too expensive, or a function calls itself (`recursive`). The program is then
 * analyzed in less detail.
 */
export class TooDetailed extends Error {
  readonly recursive: FunctionNode | undefined;

  constructor(recursive?: FunctionNode) {
    super('too detailed');
    this.recursive = recursive;
  }
}

export type SvcValue = { kind: 'svc' } | { kind: 'alias'; alias: string } | { kind: 'action'; alias: string; action: string };

/** `size`: approximate number of characters. */
export interface Constant {
  kind: 'constant';
  value: unknown;
  size: number;
}

export const UNKNOWN = { kind: 'unknown' } as const;

export type Value = SvcValue | Constant | typeof UNKNOWN;

/** The values of parameters and loop variables in one call or round. */
export interface Env {
  values: Map<Binding, Value>;
  /** Null if no other call or round encloses this one. */
  parent: Env | null;
  depth: number;
}

/** The state of one analysis. */
export interface State {
  source: string;
  lineStarts: readonly number[];
  program: Program;
  scopes: Scopes;
  /** Aliases by their spelling in code. Null if two aliases have the same spelling. */
  aliases: Map<string, string | null>;
  actions: Map<string, Map<string, string | null>>;
  /** Functions analyzed only once, with unknown parameters. */
  opaque: Set<FunctionNode> | 'all';
  /** Whether the code may change prototypes or scopes: then no input is certain. */
  tampered: boolean;
  signals: Map<string, number>;
  /** The remaining budget, shared by all detailed attempts. */
  fuel: { left: number };
  /** Bindings that are being evaluated, to detect cycles. */
  resolving: Set<Binding>;
  /** Values that depend on no parameter or loop variable. */
  settled: Map<Binding, Value>;
  /** The function that a binding holds, if the code only calls it by this name. Else null. */
  followed: Map<Binding, FunctionNode | null>;
  leaves: Map<VariableDeclarator, Map<Binding, PatternLeaf>>;
  /** A field, so that modules need not import each other in a cycle. */
  evaluate: (state: State, node: AnyNode, env: Env | null) => Value;
  envReads: number;
  /** Globals whose functions stay original, because the code only calls them. */
  untouchedGlobals: Set<string>;
}

export function innerEnv(parent: Env | null): Env {
  return { values: new Map(), parent, depth: (parent?.depth ?? 0) + 1 };
}

/** The current value of a parameter or loop variable. */
export function lookUpValue(state: State, env: Env | null, binding: Binding): Value | undefined {
  for (let at = env; at; at = at.parent) {
    const value = at.values.get(binding);
    if (!value) continue;
    state.envReads += 1;
    return value;
  }
  return undefined;
}

/** Keeps the analysis linear. Throws TooDetailed when the budget is used up. */
export function spend(state: State, amount = 1): void {
  state.fuel.left -= amount;
  if (state.fuel.left < 0) throw new TooDetailed();
}

/** Records for a reviewer why a call cannot be predicted. */
export function signal(state: State, words: string, node: AnyNode): void {
  const short = words.slice(0, MAX_WORDS);
  if (!state.signals.has(short)) state.signals.set(short, node.start);
}

const MAX_WORDS = 200;

import type { AnyNode, Program, VariableDeclarator } from 'acorn';
import type { Binding, Scopes } from './plan-scopes.ts';
import type { FunctionNode, PatternLeaf } from './plan-syntax.ts';

export type Surface = Record<string, readonly string[]>;

/** What is left of the budget ran out, or the code goes round in circles: read it again in less detail. */
export class TooDetailed extends Error {
  readonly recursive: FunctionNode | undefined;

  constructor(recursive?: FunctionNode) {
    super('too detailed');
    this.recursive = recursive;
  }
}

export type SvcValue = { kind: 'svc' } | { kind: 'alias'; alias: string } | { kind: 'action'; alias: string; action: string };

/** A value that the code is known to have; `size` counts its parts and bounds it. */
export interface Constant {
  kind: 'constant';
  value: unknown;
  size: number;
}

export const UNKNOWN = { kind: 'unknown' } as const;

export type Value = SvcValue | Constant | typeof UNKNOWN;

/** What parameters and loop variables hold while one function call or one round of a loop is read. */
export interface Env {
  values: Map<Binding, Value>;
  parent: Env | null;
  depth: number;
}

/** Everything that the reading of one program shares. */
export interface State {
  source: string;
  lineStarts: readonly number[];
  program: Program;
  scopes: Scopes;
  /** As written in code → as the workspace knows it; null where two names are written alike. */
  aliases: Map<string, string | null>;
  actions: Map<string, Map<string, string | null>>;
  /** Functions that are read once, with nothing known of their parameters. */
  opaque: Set<FunctionNode> | 'all';
  /** Prototypes or scopes may change behind the analysis, so no input is certain. */
  tampered: boolean;
  signals: Map<string, number>;
  /** What is left of the budget; all attempts to read a program share it. */
  fuel: { left: number };
  /** Bindings whose values are being worked out, against definitions that go round in circles. */
  resolving: Set<Binding>;
  /** Values that do not depend on any parameter or loop variable. */
  settled: Map<Binding, Value>;
  /** Functions that are only ever called by their name; null for names that stand for none. */
  followed: Map<Binding, FunctionNode | null>;
  /** Where in its declaration each binding takes its value from. */
  leaves: Map<VariableDeclarator, Map<Binding, PatternLeaf>>;
  envReads: number;
  /** Globals that the code only calls functions of, so that these are still their own. */
  untouchedGlobals: Set<string>;
}

export function innerEnv(parent: Env | null): Env {
  return { values: new Map(), parent, depth: (parent?.depth ?? 0) + 1 };
}

/** What a parameter or loop variable holds just now; undefined for any other binding. */
export function lookUpValue(state: State, env: Env | null, binding: Binding): Value | undefined {
  for (let at = env; at; at = at.parent) {
    const value = at.values.get(binding);
    if (!value) continue;
    state.envReads += 1;
    return value;
  }
  return undefined;
}

/** Take from the budget that keeps the analysis linear; throws TooDetailed when it is used up. */
export function spend(state: State, amount = 1): void {
  state.fuel.left -= amount;
  if (state.fuel.left < 0) throw new TooDetailed();
}

/** Note, in words for a reviewer, why some call cannot be predicted. */
export function signal(state: State, words: string, node: AnyNode): void {
  const short = words.slice(0, MAX_WORDS);
  if (!state.signals.has(short)) state.signals.set(short, node.start);
}

const MAX_WORDS = 200;

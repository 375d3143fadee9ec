import type { AnyNode, CallExpression } from 'acorn';
import type { Env, State } from './state.ts';
import type { FunctionNode } from './syntax.ts';

/** A place where the code calls an action, or passes on the action's function (`call` is null). */
export interface FoundCall {
  alias: string;
  action: string;
  node: AnyNode;
  call: CallExpression | null;
  env: Env | null;
  repeats: boolean;
}

/** The context of a walk at a node. */
export interface Walk {
  state: State;
  found: (call: FoundCall) => void;
  active: Set<FunctionNode>;
  env: Env | null;
  repeats: boolean;
  /** Visits inner nodes in the order of execution. */
  visit: (walk: Walk, node: AnyNode) => void;
}

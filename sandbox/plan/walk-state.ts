import type { AnyNode, CallExpression } from 'acorn';
import type { Env, State } from './state.ts';
import type { FunctionNode } from './syntax.ts';

/**
 * A place where an action is called, within one call of the enclosing function. `call` is null if
 * only its function is passed on.
 */
export interface FoundCall {
  alias: string;
  action: string;
  node: AnyNode;
  call: CallExpression | null;
  env: Env | null;
  repeats: boolean;
}

/** The position of a walk and its circumstances. */
export interface Walk {
  state: State;
  found: (call: FoundCall) => void;
  active: Set<FunctionNode>;
  env: Env | null;
  repeats: boolean;
  /** Walks a piece of code as it would run. */
  visit: (walk: Walk, node: AnyNode) => void;
}

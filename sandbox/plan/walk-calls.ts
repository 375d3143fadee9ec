import type { AnyNode, CallExpression } from 'acorn';
import { ABSENT, bindParameter } from './call-values.ts';
import { describe } from './names.ts';
import { roundsOf } from './read-only.ts';
import { innerEnv, type SvcValue, signal, TooDetailed, UNKNOWN, type Value } from './state.ts';
import { followedFunction, mayFollow, svcValueOf } from './svc.ts';
import { type FunctionNode, isFunction } from './syntax.ts';
import { evaluate } from './values.ts';
import { elementsOf, isSettled } from './walk-lists.ts';
import { visitDefaults, visitHarmless, visitHarmlessIf } from './walk-reads.ts';
import type { Walk } from './walk-state.ts';

/** Walks a call, and reports calls of actions. */
export function visitCall(walk: Walk, node: CallExpression): void {
  const value = svcValueOf(walk.state, node.callee, walk.env);
  const own = value ? null : ownFunction(walk, node.callee);
  if (own) visitOwnCall(walk, own, node);
  else if (value || !visitRounds(walk, node)) {
    if (value) noteCall(walk, value, node);
    visitHarmless(walk, node.callee);
    for (const argument of node.arguments) walk.visit(walk, argument);
  }
}

function noteCall({ state, found, env, repeats }: Walk, value: SvcValue, node: CallExpression): void {
  if (value.kind !== 'action') signal(state, `${describe(value)} is called as a function`, node);
  else found({ alias: value.alias, action: value.action, node, call: node, env, repeats });
}

function ownFunction({ state }: Walk, callee: AnyNode): FunctionNode | null {
  if (!isFunction(callee)) return followedFunction(state, callee);
  return mayFollow(state, callee) && !callee.id ? callee : null;
}

function visitOwnCall(walk: Walk, own: FunctionNode, node: CallExpression): void {
  const spread = node.arguments.findIndex((argument) => argument.type === 'SpreadElement');
  const given = node.arguments.map((argument, index): Value => {
    const certain = spread === -1 || index < spread;
    const svc = certain && index < own.params.length ? svcValueOf(walk.state, argument, walk.env) : null;
    visitHarmlessIf(svc !== null, walk, argument);
    return svc ?? (certain ? evaluate(walk.state, argument, walk.env) : UNKNOWN);
  });
  enterFunction(walk, own, given, spread === -1 ? ABSENT : UNKNOWN);
}

/** Walks a function for one call. `others`: the value of parameters without an argument. */
export function enterFunction(walk: Walk, own: FunctionNode, given: Value[], others: Value = ABSENT): void {
  if (walk.active.has(own)) throw new TooDetailed(own);
  const env = innerEnv(walk.env);
  const inner = { ...walk, env };
  walk.active.add(own);
  for (const [index, parameter] of own.params.entries()) {
    const value = given[index] ?? others;
    bindParameter(walk.state, env, parameter, value);
    visitDefaults(inner, parameter);
  }
  inner.visit(inner, own.body);
  walk.active.delete(own);
}

// Walks a call such as `list.map((x) => …)` on a constant list. False for other calls.
function visitRounds(walk: Walk, node: CallExpression): boolean {
  const rounds = roundsOf(node);
  const callback = node.arguments[0];
  if (!rounds || node.callee.type !== 'MemberExpression' || !isFunction(callback) || !mayFollow(walk.state, callback)) return false;
  const elements = elementsOf(walk, node.callee.object);
  if (!elements || callback.id || (rounds.element && !isSettled(walk, rounds.element, elements))) return false;
  walk.visit(walk, node.callee.object);
  for (const argument of node.arguments.slice(1)) walk.visit(walk, argument);
  for (const [index, value] of elements.entries()) {
    enterFunction(walk, callback, [value, { kind: 'constant', value: index, size: 8 }], UNKNOWN);
  }
  return true;
}

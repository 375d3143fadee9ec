import type { AnyNode } from 'acorn';
import { describe } from './names.ts';
import { isTarget } from './read-only.ts';
import { type SvcValue, signal } from './state.ts';
import { svcValueOf } from './svc.ts';
import { chainOf, childrenOf } from './syntax.ts';
import type { Walk } from './walk-state.ts';

/** Walks an expression in a place where `svc` cannot leak, such as a condition. */
export function visitHarmless(walk: Walk, node: AnyNode): void {
  const reads = node.type === 'Identifier' || node.type === 'MemberExpression' || node.type === 'ChainExpression';
  if (reads) visitRead(walk, node, true);
  else walk.visit(walk, node);
}

export function visitHarmlessIf(harmless: boolean, walk: Walk, node: AnyNode): void {
  (harmless ? visitHarmless : walk.visit)(walk, node);
}

/** Walks a read of a name or member. `harmless`: `svc` cannot leak from the place of the read. */
export function visitRead(walk: Walk, node: AnyNode, harmless: boolean): void {
  const { root, members } = chainOf(node);
  const value = svcValueOf(walk.state, node, walk.env);
  if (value && !harmless) handOn(walk, value, node);
  if (root.type !== 'Identifier') walk.visit(walk, root);
  for (const member of members) if (member.computed) walk.visit(walk, member.property);
}

// Code that gets the function of one action can call only that action. Code that gets a larger part
// of `svc` can make calls that the plan cannot name.
function handOn(walk: Walk, value: SvcValue, node: AnyNode): void {
  if (isTarget(walk.state.scopes, node)) signal(walk.state, `${describe(value)} is changed`, node);
  else if (value.kind !== 'action') signal(walk.state, `${describe(value)} is passed on or stored, so calls through it are not seen`, node);
  else walk.found({ alias: value.alias, action: value.action, node, call: null, env: walk.env, repeats: true });
}

/** Walks the expressions in a pattern: defaults, computed keys, and members that are assigned. */
export function visitDefaults(walk: Walk, node: AnyNode): void {
  if (node.type === 'Identifier') return;
  if (node.type === 'AssignmentPattern') walk.visit(walk, node.right);
  else if (node.type === 'Property' && node.computed) walk.visit(walk, node.key);
  else if (node.type === 'MemberExpression') walk.visit(walk, node);
  for (const part of partsOf(node)) visitDefaults(walk, part);
}

function partsOf(node: AnyNode): AnyNode[] {
  if (node.type === 'AssignmentPattern') return [node.left];
  if (node.type === 'Property') return [node.value];
  return node.type === 'ObjectPattern' || node.type === 'ArrayPattern' || node.type === 'RestElement' ? childrenOf(node) : [];
}

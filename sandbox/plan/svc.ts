import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import { readSvcKey } from './names.ts';
import type { Binding } from './scopes.ts';
import { type Env, lookUpValue, type State, type SvcValue, spend, type Value } from './state.ts';
import { chainOf, type FunctionNode, isFunction, leavesOf, type PatternLeaf, staticKey } from './syntax.ts';

/**
 * The part of `svc` that an expression refers to, else null. May record why a call cannot be
 * predicted.
 */
export function svcValueOf(state: State, node: AnyNode, env: Env | null): SvcValue | null {
  const { root, members } = chainOf(node);
  let value = root.type === 'Identifier' ? svcValueOfIdentifier(state, root, env) : null;
  for (const member of members) {
    if (!value) return null;
    value = readSvcKey(state, value, memberKey(state, member, env), member);
  }
  return value;
}

/** The key that a member expression reads, if it is known. */
export function memberKey(state: State, member: MemberExpression, env: Env | null): string | undefined {
  if (!member.computed) return staticKey(member);
  const key = state.evaluate(state, member.property, env);
  return key.kind === 'constant' && (typeof key.value === 'string' || typeof key.value === 'number') ? String(key.value) : undefined;
}

/** The function that a name refers to, if the code only calls the name. Otherwise null. */
export function followedFunction(state: State, callee: AnyNode): FunctionNode | null {
  const binding = callee.type === 'Identifier' ? state.scopes.bindingOf.get(callee) : undefined;
  if (!binding) return null;
  const known = state.followed.get(binding);
  if (known !== undefined) return known;
  const found = functionOf(binding);
  const followed = found && mayFollow(state, found) && binding.references.every((reference) => isCallee(state, reference)) ? found : null;
  state.followed.set(binding, followed);
  return followed;
}

export function mayFollow(state: State, node: FunctionNode): boolean {
  return !node.generator && state.opaque !== 'all' && !state.opaque.has(node);
}

/** The leaf of the declared pattern that gives a binding its value. */
export function declaredLeaf(state: State, binding: Binding): PatternLeaf | undefined {
  const { declarator } = binding;
  if (!declarator) return undefined;
  const known = state.leaves.get(declarator);
  if (known) return known.get(binding);
  const leaves = new Map<Binding, PatternLeaf>();
  for (const leaf of leavesOf(declarator.id).reverse()) leaves.set(state.scopes.bindingOf.get(leaf.identifier)!, leaf);
  state.leaves.set(declarator, leaves);
  return leaves.get(binding);
}

export function isSvc(value: Value | null): value is SvcValue {
  return value?.kind === 'svc' || value?.kind === 'alias' || value?.kind === 'action';
}

function svcValueOfIdentifier(state: State, identifier: Identifier, env: Env | null): SvcValue | null {
  const binding = state.scopes.bindingOf.get(identifier);
  if (!binding) return identifier.name === 'svc' ? { kind: 'svc' } : null;
  if (binding.writes > 0 || state.resolving.has(binding)) return null;
  const held = lookUpValue(state, env, binding);
  if (held) return isSvc(held) ? held : null;
  return svcValueOfDeclared(state, binding, env);
}

function svcValueOfDeclared(state: State, binding: Binding, env: Env | null): SvcValue | null {
  const init = binding.declarator?.init;
  if (!init || !isSvcChain(init)) return null;
  spend(state);
  state.resolving.add(binding);
  let value = svcValueOf(state, init, env);
  state.resolving.delete(binding);
  if (!value || binding.declarator?.id.type === 'Identifier') return value;
  for (const key of declaredLeaf(state, binding)?.path ?? [undefined]) {
    value = value && readSvcKey(state, value, key, init);
  }
  return value;
}

function isSvcChain(node: AnyNode): boolean {
  return node.type === 'Identifier' || node.type === 'MemberExpression' || node.type === 'ChainExpression';
}

function functionOf(binding: Binding): FunctionNode | null {
  if (binding.writes > 0) return null;
  if (binding.kind === 'function') return binding.function;
  const { declarator } = binding;
  return declarator?.id.type === 'Identifier' && isFunction(declarator.init) ? declarator.init : null;
}

function isCallee(state: State, reference: Identifier): boolean {
  const parent = state.scopes.parentOf.get(reference);
  return parent?.type === 'CallExpression' && parent.callee === reference;
}

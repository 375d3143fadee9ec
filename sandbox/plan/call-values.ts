import type { AnyNode, CallExpression, Pattern } from 'acorn';
import { constant, isPrimitive, readKey } from './constants.ts';
import { describe, readSvcKey } from './names.ts';
import { isReadOnly, isUntouchedGlobal } from './read-only.ts';
import { type Constant, type Env, innerEnv, type State, signal, UNKNOWN, type Value } from './state.ts';
import { followedFunction, isSvc } from './svc.ts';
import { type FunctionNode, leavesOf, staticKey } from './syntax.ts';

/** Evaluates a call of a simple function of the code, or of a supported built-in; else UNKNOWN. */
export function evaluateCall(state: State, call: CallExpression, env: Env | null): Value {
  if (call.arguments.some((argument) => argument.type === 'SpreadElement')) return UNKNOWN;
  const own = followedFunction(state, call.callee);
  if (own) return evaluateOwn(state, own, call, env);
  if (call.callee.type === 'MemberExpression') return evaluateMethod(state, call, env);
  const global = call.callee.type === 'Identifier' && !state.scopes.bindingOf.has(call.callee) ? call.callee.name : '';
  if (state.scopes.globalWrites.has(global) || call.arguments.length !== 1) return UNKNOWN;
  return applyTo(GLOBALS.get(global), [...call.arguments], state, env);
}

/** Assigns parts of a value to the bindings of a pattern. An uncertain part becomes unknown. */
export function bindPattern(state: State, env: Env, pattern: Pattern, value: Value): void {
  for (const leaf of leavesOf(pattern)) {
    const binding = state.scopes.bindingOf.get(leaf.identifier);
    if (!binding) continue;
    let part: Value | null = value;
    for (const key of leaf.path ?? [undefined]) {
      if (part && isSvc(part)) part = readSvcKey(state, part, key, pattern);
      else part = part?.kind === 'constant' && key !== undefined ? readKey(part, key) : UNKNOWN;
    }
    if (part && isSvc(part) && binding.writes > 0) signal(state, `${describe(part)} is held by "${binding.name}", which changes`, pattern);
    const uncertain = part?.kind === 'constant' && (part.value === undefined ? leaf.mayDefault : !isReadOnly(state, binding, part.value));
    env.values.set(binding, !part || uncertain || binding.writes > 0 ? UNKNOWN : part);
  }
}

/** Binds a parameter to its argument, or to its default if the argument is undefined. */
export function bindParameter(state: State, env: Env, parameter: Pattern, argument: Value): void {
  const absent = argument.kind === 'constant' && argument.value === undefined;
  if (parameter.type !== 'AssignmentPattern') bindPattern(state, env, parameter, argument);
  else if (absent) bindPattern(state, env, parameter.left, state.evaluate(state, parameter.right, env));
  else bindPattern(state, env, parameter.left, argument);
}

export const ABSENT: Constant = { kind: 'constant', value: undefined, size: 8 };

const MAX_DEPTH = 20;

function evaluateOwn(state: State, own: FunctionNode, call: CallExpression, env: Env | null): Value {
  const result = resultOf(own);
  if (!result || own.async || (env?.depth ?? 0) >= MAX_DEPTH) return UNKNOWN;
  const inner = innerEnv(env);
  const given = call.arguments.map((argument) => state.evaluate(state, argument, env));
  for (const [index, parameter] of own.params.entries()) bindParameter(state, inner, parameter, given[index] ?? ABSENT);
  return state.evaluate(state, result, inner);
}

function resultOf(own: FunctionNode): AnyNode | null {
  if (own.body.type !== 'BlockStatement') return own.body;
  const [only, ...others] = own.body.body;
  return others.length === 0 && only?.type === 'ReturnStatement' ? (only.argument ?? null) : null;
}

function evaluateMethod(state: State, call: CallExpression, env: Env | null): Value {
  const { callee } = call;
  const method = staticKey(callee);
  if (callee.type !== 'MemberExpression' || method === undefined) return UNKNOWN;
  if (isUntouchedGlobal(state, callee.object, 'JSON') && method === 'stringify') return applyTo(stringify, [...call.arguments], state, env);
  const object = state.evaluate(state, callee.object, env);
  if (object.kind !== 'constant') return UNKNOWN;
  if (typeof object.value === 'string' && STRING_METHODS.has(method) && call.arguments.length === 0) {
    return constant(object.value[method as 'trim']());
  }
  if (!Array.isArray(object.value) || method !== 'join' || !object.value.every(isPrimitive)) return UNKNOWN;
  const items: unknown[] = object.value;
  return applyTo(
    onPrimitive((separator) => items.join(separator as string)),
    call.arguments.slice(0, 1),
    state,
    env,
  );
}

function applyTo(apply: ((...values: unknown[]) => unknown) | undefined, given: AnyNode[], state: State, env: Env | null): Value {
  if (!apply) return UNKNOWN;
  const values = given.map((argument) => state.evaluate(state, argument, env));
  if (!values.every((value) => value.kind === 'constant')) return UNKNOWN;
  try {
    return constant(apply(...values.map(({ value }) => value)));
  } catch {
    return UNKNOWN;
  }
}

const STRING_METHODS = new Set(['trim', 'toUpperCase', 'toLowerCase']);

// These refuse objects: the code may have replaced the methods that turn objects into text.
const GLOBALS = new Map<string, (value: unknown) => unknown>([
  ['String', onPrimitive(String)],
  ['encodeURIComponent', onPrimitive((value) => encodeURIComponent(value as string))],
  ['encodeURI', onPrimitive((value) => encodeURI(value as string))],
]);

function onPrimitive(apply: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => {
    if (!isPrimitive(value)) throw new TypeError('not a primitive');
    return apply(value);
  };
}

function stringify(value: unknown, replacer?: unknown, space?: unknown): unknown {
  if (replacer !== null && replacer !== undefined) throw new TypeError('a replacer is not followed');
  return JSON.stringify(value, null, space as number);
}

import type { AnyNode, ArrayExpression, Identifier, MemberExpression, ObjectExpression, Property, TemplateLiteral } from 'acorn';
import { evaluateCall } from './call-values.ts';
import { constant, isPrimitive, MAX_SIZE, readKey } from './constants.ts';
import { applyBinary, applyUnary } from './operators.ts';
import { isReadOnly } from './read-only.ts';
import type { Binding } from './scopes.ts';
import { type Env, lookUpValue, type State, spend, UNKNOWN, type Value } from './state.ts';
import { declaredLeaf, isSvc, memberKey, svcValueOf } from './svc.ts';
import { staticKey } from './syntax.ts';

/** The value that an expression always has when it runs, else UNKNOWN. */
export function evaluate(state: State, node: AnyNode, env: Env | null): Value {
  spend(state);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'object' && node.value !== null ? UNKNOWN : constant(node.value);
    case 'Identifier':
      return evaluateIdentifier(state, node, env);
    case 'ChainExpression':
      return evaluate(state, node.expression, env);
    case 'MemberExpression':
      return evaluateMember(state, node, env);
    case 'TemplateLiteral':
      return evaluateTemplate(state, node, env);
    case 'ObjectExpression':
      return evaluateObject(state, node, env);
    case 'ArrayExpression':
      return evaluateArray(state, node, env);
    case 'UnaryExpression':
      return applyUnary(node.operator, evaluate(state, node.argument, env));
    case 'BinaryExpression':
      return applyBinary(node.operator, evaluate(state, node.left, env), evaluate(state, node.right, env));
    case 'ConditionalExpression':
    case 'LogicalExpression':
      return evaluateChoice(state, node, env);
    case 'CallExpression':
      return evaluateCall(state, node, env);
    default:
      return UNKNOWN;
  }
}

function evaluateIdentifier(state: State, node: Identifier, env: Env | null): Value {
  const binding = state.scopes.bindingOf.get(node);
  if (!binding && node.name === 'undefined') return constant(undefined);
  if (!binding) return node.name === 'svc' ? { kind: 'svc' } : UNKNOWN;
  if (binding.writes > 0) return UNKNOWN;
  const held = lookUpValue(state, env, binding) ?? state.settled.get(binding);
  if (held) return held;
  if (binding.kind !== 'const' && binding.kind !== 'let') return svcValueOf(state, node, env) ?? UNKNOWN;
  if (state.resolving.has(binding)) return UNKNOWN;
  const readsBefore = state.envReads;
  const value = evaluateDeclared(state, binding, env);
  if (state.envReads === readsBefore) state.settled.set(binding, value);
  return value;
}

function evaluateDeclared(state: State, binding: Binding, env: Env | null): Value {
  const leaf = declaredLeaf(state, binding);
  const init = binding.declarator?.init;
  if (!leaf?.path || !init) return UNKNOWN;
  state.resolving.add(binding);
  let value = evaluate(state, init, env);
  for (const key of leaf.path) value = value.kind === 'constant' ? readKey(value, key) : UNKNOWN;
  const certain = value.kind === 'constant' && !(leaf.mayDefault && value.value === undefined) && isReadOnly(state, binding, value.value);
  state.resolving.delete(binding);
  if (isSvc(value)) return value;
  return certain ? value : UNKNOWN;
}

function evaluateMember(state: State, node: MemberExpression, env: Env | null): Value {
  if (node.object.type === 'Super') return UNKNOWN;
  const object = evaluate(state, node.object, env);
  if (isSvc(object)) return svcValueOf(state, node, env) ?? UNKNOWN;
  const key = memberKey(state, node, env);
  if (object.kind !== 'constant' || key === undefined) return UNKNOWN;
  if (node.optional && (object.value === null || object.value === undefined)) return constant(undefined);
  return readKey(object, key);
}

function evaluateTemplate(state: State, node: TemplateLiteral, env: Env | null): Value {
  let text = constant(node.quasis[0]?.value.cooked ?? '');
  for (const [index, expression] of node.expressions.entries()) {
    const part = evaluate(state, expression, env);
    text = applyBinary('+', text, part.kind === 'constant' && isPrimitive(part.value) ? constant(String(part.value)) : UNKNOWN);
    text = applyBinary('+', text, constant(node.quasis[index + 1]?.value.cooked ?? ''));
  }
  return text;
}

function evaluateObject(state: State, node: ObjectExpression, env: Env | null): Value {
  const object: Record<string, unknown> = {};
  let size = 8;
  for (const property of node.properties) {
    const part = evaluate(state, property.type === 'SpreadElement' ? property.argument : property.value, env);
    if (part.kind !== 'constant') return UNKNOWN;
    if (property.type === 'SpreadElement') Object.assign(object, part.value);
    else {
      const key = propertyKey(state, property, env);
      if (key === undefined) return UNKNOWN;
      object[key] = part.value;
      size += key.length;
    }
    size += part.size;
    if (size > MAX_SIZE) return UNKNOWN;
  }
  return constant(object, size);
}

/** The key of a plain `key: value` property, if it is known. */
export function propertyKey(state: State, property: Property, env: Env | null): string | undefined {
  if (property.kind !== 'init' || property.method) return undefined;
  const computed = property.computed ? evaluate(state, property.key, env) : undefined;
  const primitive = computed?.kind === 'constant' && isPrimitive(computed.value);
  const key = property.computed ? (primitive ? String(computed.value) : undefined) : staticKey(property);
  return key === '__proto__' ? undefined : key;
}

function evaluateArray(state: State, node: ArrayExpression, env: Env | null): Value {
  const array: unknown[] = [];
  let size = 8;
  for (const element of node.elements) {
    const part = element ? evaluate(state, element.type === 'SpreadElement' ? element.argument : element, env) : UNKNOWN;
    if (part.kind !== 'constant') return UNKNOWN;
    if (element?.type !== 'SpreadElement') array.push(part.value);
    else if (typeof part.value === 'string' || Array.isArray(part.value)) for (const item of part.value) array.push(item);
    else return UNKNOWN;
    size += part.size;
    if (size > MAX_SIZE) return UNKNOWN;
  }
  return constant(array, size);
}

type Choice = Extract<AnyNode, { type: 'ConditionalExpression' | 'LogicalExpression' }>;

function evaluateChoice(state: State, node: Choice, env: Env | null): Value {
  const tested = evaluate(state, node.type === 'LogicalExpression' ? node.left : node.test, env);
  if (tested.kind !== 'constant') return UNKNOWN;
  if (node.type === 'ConditionalExpression') return evaluate(state, tested.value ? node.consequent : node.alternate, env);
  const goesRight = node.operator === '&&' ? !!tested.value : node.operator === '||' ? !tested.value : (tested.value ?? null) === null;
  return goesRight ? evaluate(state, node.right, env) : tested;
}

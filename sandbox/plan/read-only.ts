import type { AnyNode, CallExpression, MemberExpression, Pattern, Property, SpreadElement } from 'acorn';
import { isPrimitive } from './constants.ts';
import type { Binding, Scopes } from './scopes.ts';
import { type State, spend } from './state.ts';
import { followedFunction, svcValueOf } from './svc.ts';
import { isData, isFunction, leavesOf, staticKey } from './syntax.ts';

/** Whether the code only reads the object that a binding holds, and everything inside it. */
export function isReadOnly(state: State, binding: Binding, value: unknown, visiting: Map<Binding, Set<unknown>> = new Map()): boolean {
  if (isPrimitive(value) || visiting.get(binding)?.has(value)) return true;
  if (binding.writes > 0) return false;
  visiting.set(binding, (visiting.get(binding) ?? new Set()).add(value));
  return binding.references.every((reference) => onlyReads({ state, visiting }, reference, value));
}

function isUnchangedGlobal({ bindingOf, globalWrites }: Scopes, node: AnyNode): boolean {
  return node.type === 'Identifier' && !bindingOf.has(node) && !globalWrites.has(node.name);
}

/** Whether an identifier is the global `name`, such as `JSON`, with its original functions. */
export function isUntouchedGlobal(state: State, node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name && !state.scopes.bindingOf.has(node) && state.untouchedGlobals.has(name);
}

/** The globals whose functions stay original, because the code only calls them. */
export function untouchedGlobals({ globals, globalWrites, parentOf }: Scopes): Set<string> {
  const names = new Set(globals.map(({ name }) => name).filter((name) => !globalWrites.has(name)));
  for (const reference of globals) {
    const member = parentOf.get(reference);
    const call = member && parentOf.get(member);
    const onlyCalled = member?.type === 'MemberExpression' && !member.computed && call?.type === 'CallExpression' && call.callee === member;
    if (!onlyCalled) names.delete(reference.name);
  }
  return names;
}

/**
 * Recognizes a call of an array method that calls its function in the order of the elements, at
 * most once for each. Null for other calls, and if the function also takes the array.
 */
export function roundsOf(call: CallExpression): { method: string; element: Pattern | undefined } | null {
  const [callback] = call.arguments;
  const method = call.callee.type === 'MemberExpression' ? staticKey(call.callee) : undefined;
  if (!isFunction(callback) || !method || !ROUNDS.has(method) || callback.params.length > 2) return null;
  return callback.params.some((param) => param.type === 'RestElement') ? null : { method, element: callback.params[0] };
}

const SOME_OBJECT = Object.freeze({});
const MAX_ELEMENTS = 50;
const ROUNDS = new Set(['map', 'forEach', 'some', 'every', 'flatMap', 'findIndex', 'filter', 'find']);
const GIVES_BACK_ELEMENTS = new Set(['filter', 'find']);
const READS_ELEMENTS = new Set(['at', 'slice', 'concat', 'keys', 'values', 'entries', 'toSorted', 'toReversed']);
const READS_ONLY = new Set(['join', 'includes', 'indexOf', 'lastIndexOf']);

interface Search {
  state: State;
  visiting: Map<Binding, Set<unknown>>;
}

function onlyReads(search: Search, node: AnyNode, value: unknown): boolean {
  spend(search.state);
  const parent = search.state.scopes.parentOf.get(node);
  if (!parent) return false;
  if (parent.type === 'MemberExpression' && parent.object === node) return memberOnlyReads(search, parent, value);
  if (isPrimitive(value)) return true;
  switch (parent.type) {
    case 'TemplateLiteral':
      // A tag function gets the value itself and could change it.
      return search.state.scopes.parentOf.get(parent)?.type !== 'TaggedTemplateExpression';
    case 'BinaryExpression':
      // A class in the code can have a Symbol.hasInstance method, which gets the object.
      return parent.operator !== 'instanceof' || isUnchangedGlobal(search.state.scopes, parent.right);
    case 'UnaryExpression':
    case 'ExpressionStatement':
      return true;
    case 'ForInStatement':
      return parent.right === node;
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return parent.test === node;
    case 'ChainExpression':
    case 'ArrayExpression':
      return onlyReads(search, parent, parent.type === 'ChainExpression' ? value : SOME_OBJECT);
    case 'Property':
      return parent.value === node && holderOnlyReads(search, parent);
    case 'SpreadElement':
      return isFlat(value) || holderOnlyReads(search, parent);
    case 'CallExpression':
      return parent.callee !== node && argumentOnlyReads(search, parent, node, value);
    case 'VariableDeclarator':
      return parent.init === node && patternOnlyReads(search, parent.id, value);
    case 'ForOfStatement':
      return (
        parent.right === node &&
        parent.left.type === 'VariableDeclaration' &&
        elementsOnlyRead(search, parent.left.declarations[0]?.id, value)
      );
    default:
      return false;
  }
}

function memberOnlyReads(search: Search, member: MemberExpression, value: unknown): boolean {
  const parent = search.state.scopes.parentOf.get(member);
  if (!parent || isTarget(search.state.scopes, member)) return false;
  const called = parent.type === 'CallExpression' && parent.callee === member;
  if (value === SOME_OBJECT) return !called && onlyReads(search, member, SOME_OBJECT);
  const key = staticKey(member);
  if (called) return isPrimitive(value) || methodOnlyReads(search, parent, key, value);
  if (isPrimitive(value)) return true;
  if (key === undefined) return isFlat(value);
  if (!Object.hasOwn(value as object, key)) return true;
  return onlyReads(search, member, (value as Record<string, unknown>)[key]);
}

/** Whether the code assigns to a node, deletes it, or calls it as the tag of a template. */
export function isTarget(scopes: Scopes, node: AnyNode): boolean {
  const { parentOf } = scopes;
  const parent = parentOf.get(node);
  switch (parent?.type) {
    case 'ChainExpression':
      return isTarget(scopes, parent);
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'TaggedTemplateExpression':
      return true;
    case 'UnaryExpression':
      return parent.operator === 'delete';
    case 'AssignmentPattern':
    case 'AssignmentExpression':
    case 'ForOfStatement':
    case 'ForInStatement':
      return parent.left === node;
    case 'Property':
      return parentOf.get(parent)?.type === 'ObjectPattern';
    default:
      return false;
  }
}

function methodOnlyReads(search: Search, call: CallExpression, method: string | undefined, value: unknown): boolean {
  if (!method || !Array.isArray(value)) return false;
  if (READS_ONLY.has(method)) return true;
  if (READS_ELEMENTS.has(method)) return isFlat(value);
  const rounds = roundsOf(call);
  if (!rounds) return false;
  if (isFlat(value)) return true;
  return !GIVES_BACK_ELEMENTS.has(rounds.method) && elementsOnlyRead(search, rounds.element, value);
}

function argumentOnlyReads(search: Search, call: CallExpression, node: AnyNode, value: unknown): boolean {
  const { state } = search;
  if (svcValueOf(state, call.callee, null)?.kind === 'action') return true;
  const owner = call.callee.type === 'MemberExpression' ? call.callee.object : null;
  if (owner && isUntouchedGlobal(state, owner, 'console')) return true;
  // A replacer function of JSON.stringify gets the object itself.
  if (owner && isUntouchedGlobal(state, owner, 'JSON') && isNoFunction(state, call.arguments[1])) return true;
  const parameter = followedFunction(state, call.callee)?.params[call.arguments.indexOf(node as CallExpression)];
  const spreads = call.arguments.some((argument) => argument.type === 'SpreadElement');
  return !spreads && parameter !== undefined && parameter.type !== 'RestElement' && patternOnlyReads(search, parameter, value);
}

function isNoFunction({ scopes }: State, node: AnyNode | undefined): boolean {
  return !node || isData(node) || (node.type === 'Identifier' && node.name === 'undefined' && !scopes.bindingOf.has(node));
}

function elementsOnlyRead(search: Search, pattern: Pattern | undefined, value: unknown): boolean {
  if (!pattern || isFlat(value)) return true;
  if (value === SOME_OBJECT) return patternOnlyReads(search, pattern, value);
  if (!Array.isArray(value) || value.length > MAX_ELEMENTS) return false;
  return value.every((element) => patternOnlyReads(search, pattern, element));
}

function patternOnlyReads({ state, visiting }: Search, pattern: Pattern, value: unknown): boolean {
  return leavesOf(pattern).every(({ identifier, path }) => {
    const binding = state.scopes.bindingOf.get(identifier);
    if (!binding || !path) return isFlat(value);
    const part = value === SOME_OBJECT ? value : partAt(value, path);
    if (isPrimitive(part)) return true;
    return binding.kind !== 'var' && isReadOnly(state, binding, part, visiting);
  });
}

function partAt(value: unknown, path: (string | number)[]): unknown {
  let part = value;
  for (const key of path) {
    if (part === null || part === undefined) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

// Constants never change.
const FLAT = new WeakMap<object, boolean>();

function isFlat(value: unknown): boolean {
  if (isPrimitive(value)) return true;
  const known = FLAT.get(value as object);
  if (known !== undefined) return known;
  const flat = value !== SOME_OBJECT && Object.values(value as object).every(isPrimitive);
  FLAT.set(value as object, flat);
  return flat;
}

// Whether the code only reads the array or object that contains a node. Methods such as `toJSON`
// could change the content when the container is converted.
function holderOnlyReads(search: Search, node: AnyNode): boolean {
  const holder = search.state.scopes.parentOf.get(node);
  const isPlain =
    holder?.type === 'ArrayExpression' || (holder?.type === 'ObjectExpression' && holder.properties.every(isPlainOr(search, node)));
  return isPlain && onlyReads(search, holder, SOME_OBJECT);
}

function isPlainOr({ state }: Search, node: AnyNode) {
  return (property: Property | SpreadElement): boolean => {
    if (property === node) return true;
    if (property.type === 'SpreadElement') return state.evaluate(state, property.argument, null).kind === 'constant';
    if (property.kind !== 'init') return false;
    return isData(property.value) || (!property.computed && !CONVERSIONS.has(staticKey(property) ?? ''));
  };
}

const CONVERSIONS = new Set(['toString', 'valueOf', 'toJSON', 'then']);

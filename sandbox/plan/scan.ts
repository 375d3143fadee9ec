import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import { isTarget } from './read-only.ts';
import { type State, signal, spend } from './state.ts';
import { memberKey } from './svc.ts';
import { childrenOf, isData, isFunction, staticKey } from './syntax.ts';

/** Records every construct that could call actions or change values unseen by the analysis. */
export function scanForSurprises(state: State): void {
  const { conflicts, globals, globalWrites } = state.scopes;
  for (const identifier of conflicts) tamper(state, `"${identifier.name}" is declared twice`, identifier);
  for (const identifier of globals) scanGlobal(state, identifier);
  if (globalWrites.has('svc')) tamper(state, 'svc is reassigned', state.program);
  scan(state, state.program);
}

const GLOBALS = new Map([
  ['eval', 'eval runs code that is made while the code runs'],
  ['Function', 'Function makes code while the code runs'],
  ['globalThis', 'globalThis reaches svc by another name'],
  ['window', 'window reaches svc by another name'],
  ['self', 'self reaches svc by another name'],
  ['global', 'global reaches svc by another name'],
  ['arguments', 'arguments reaches values by position'],
  ['Reflect', 'Reflect reads and calls things by computed names'],
]);

const KEYS = new Map([
  ['constructor', 'constructor can make code while the code runs'],
  ['__proto__', '__proto__ changes what objects inherit'],
  ['prototype', 'prototype changes what objects inherit'],
  ['getPrototypeOf', 'getPrototypeOf reaches what objects inherit'],
  ['setPrototypeOf', 'setPrototypeOf changes what objects inherit'],
  ['getOwnPropertyDescriptor', 'property descriptors reach functions by another way'],
  ['getOwnPropertyDescriptors', 'property descriptors reach functions by another way'],
  ['__defineGetter__', 'getters change values behind their names'],
  ['__defineSetter__', 'setters change values behind their names'],
  ['__lookupGetter__', 'getters change values behind their names'],
  ['__lookupSetter__', 'setters change values behind their names'],
  ['caller', 'caller reaches other functions'],
  ['callee', 'callee reaches the running function'],
]);

const CHANGES_JSON = 'toJSON changes what is sent';

const THIS_KEYS = new Set(['JSON', 'svc', 'eval', 'Function', 'globalThis', 'window', 'self', 'global']);

function tamper(state: State, words: string, node: AnyNode): void {
  state.tampered = true;
  signal(state, words, node);
}

function scanGlobal(state: State, identifier: Identifier): void {
  const words = GLOBALS.get(identifier.name);
  if (words) tamper(state, words, identifier);
}

function scan(state: State, node: AnyNode): void {
  switch (node.type) {
    case 'WithStatement':
      tamper(state, 'with changes what names mean', node);
      break;
    case 'ImportExpression':
      signal(state, 'import() loads other code', node);
      break;
    case 'ThisExpression':
      scanThis(state, node);
      break;
    case 'Literal':
      if (node.value === 'constructor' || node.value === '__proto__') scanKey(state, node.value, node);
      break;
    case 'Property':
      if (staticKey(node) === '__proto__' || state.scopes.parentOf.get(node)?.type === 'ObjectPattern')
        scanKey(state, staticKey(node), node);
      if (staticKey(node) === 'toJSON' && !isData(node.value)) tamper(state, CHANGES_JSON, node);
      break;
    case 'PropertyDefinition':
      if (!node.computed && node.key.type === 'Identifier' && node.key.name === 'toJSON') tamper(state, CHANGES_JSON, node);
      break;
    case 'MemberExpression':
      scanMember(state, node);
      break;
  }
  for (const child of childrenOf(node)) scan(state, child);
}

function scanKey(state: State, key: string | undefined, node: AnyNode): void {
  const words = key === undefined ? undefined : KEYS.get(key);
  if (words && key !== undefined) tamper(state, words, node);
}

function scanMember(state: State, node: MemberExpression): void {
  if (node.property.type === 'PrivateIdentifier') return;
  const key = memberKey(state, node, null);
  if (key === 'prototype' && isBorrowedMethod(state, node)) return;
  scanKey(state, key, node);
  if (key === 'toJSON' && isTarget(state.scopes, node)) tamper(state, CHANGES_JSON, node);
  const parent = state.scopes.parentOf.get(node);
  const called = parent?.type === 'CallExpression' || parent?.type === 'NewExpression' ? parent.callee === node : false;
  if (key !== undefined) return;
  const words = 'a function is chosen by a name that is computed while the code runs';
  if (mayReachConstructors(state, node.object)) tamper(state, words, node);
  else if (called) signal(state, words, node);
}

// Whether a computed key of the node may be one that can make code, such as `constructor`.
function mayReachConstructors({ scopes }: State, node: AnyNode): boolean {
  return (
    isFunction(node) ||
    node.type === 'ClassExpression' ||
    (node.type === 'Identifier' && node.name !== 'svc' && scopes.globals.includes(node))
  );
}

// Whether the node is part of a call such as `Object.prototype.hasOwnProperty.call(…)`.
function isBorrowedMethod(state: State, node: MemberExpression): boolean {
  const { parentOf } = state.scopes;
  const method = parentOf.get(node);
  const call = method && parentOf.get(method);
  const invoked = call && parentOf.get(call);
  if (method?.type !== 'MemberExpression' || method.computed || call?.type !== 'MemberExpression' || call.object !== method) return false;
  return (staticKey(call) === 'call' || staticKey(call) === 'apply') && invoked?.type === 'CallExpression' && invoked.callee === call;
}

// Outside of classes, `this` may be the global object, which has svc as a property.
function scanThis(state: State, node: AnyNode): void {
  const parent = state.scopes.parentOf.get(node);
  if (isInClassBody(state, node)) return;
  const key = parent?.type === 'MemberExpression' && parent.object === node ? staticKey(parent) : undefined;
  if (key === undefined || THIS_KEYS.has(key)) tamper(state, 'this may be the global object, which reaches svc by another name', node);
  else if (isTarget(state.scopes, parent!) && state.scopes.globals.some(({ name }) => name === key))
    tamper(state, `this may be the global object, so ${key} may be changed`, node);
}

function isInClassBody(state: State, node: AnyNode): boolean {
  const { parentOf } = state.scopes;
  let inKey = false;
  for (let [at, parent] = [node, parentOf.get(node)]; parent; [at, parent] = [parent, parentOf.get(parent)]) {
    spend(state);
    if (parent.type === 'ClassBody' && !inKey) return true;
    inKey = (parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition') && parent.key === at;
  }
  return false;
}

import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  ForInStatement,
  ForOfStatement,
  ForStatement,
  VariableDeclarator,
} from 'acorn';
import { bindPattern } from './plan-call-values.ts';
import { describe } from './plan-names.ts';
import { isWriteTo } from './plan-read-only.ts';
import { type Env, innerEnv, type State, type SvcValue, signal, spend } from './plan-state.ts';
import { followedFunction, svcValueOf } from './plan-svc.ts';
import { chainOf, childrenOf, type FunctionNode, isFunction } from './plan-syntax.ts';
import { enterFunction, visitCall } from './plan-walk-calls.ts';
import { elementsOf, isSettled, withElement } from './plan-walk-lists.ts';

/** One place, in one call of the function around it, where an action is called; `call` is null where only its function is handed on. */
export interface FoundCall {
  alias: string;
  action: string;
  node: AnyNode;
  call: CallExpression | null;
  env: Env | null;
  repeats: boolean;
}

/**
 * Follow the code as it would run, through its own functions and over constant lists, and report every action call.
 * Throws TooDetailed when that takes more than the state's fuel, or when a function calls itself.
 */
export function walkCalls(state: State, bareArrow: ArrowFunctionExpression | null, found: (call: FoundCall) => void): void {
  const walk: Walk = { state, found, active: new Set(), env: null, repeats: false };
  if (bareArrow) enterFunction(walk, bareArrow, [{ kind: 'svc' }]);
  else visit(walk, state.program);
}

/** Where a walk is, and under which circumstances. */
export interface Walk {
  state: State;
  found: (call: FoundCall) => void;
  active: Set<FunctionNode>;
  env: Env | null;
  repeats: boolean;
}

/** Look at a piece of code as it would run. */
export function visit(walk: Walk, node: AnyNode): void {
  spend(walk.state);
  const visitNode = VISITS[node.type] as ((walk: Walk, node: AnyNode) => void) | undefined;
  (visitNode ?? visitChildren)(walk, node);
}

type Visits = { [Type in AnyNode['type']]?: (walk: Walk, node: Extract<AnyNode, { type: Type }>) => void };

const VISITS: Visits = {
  Identifier: (walk, node) => visitRead(walk, node, false),
  MemberExpression: (walk, node) => visitRead(walk, node, false),
  ChainExpression: (walk, node) => visitRead(walk, node, false),
  CallExpression: visitCall,
  VariableDeclarator: visitDeclarator,
  FunctionDeclaration: visitFunctionDeclaration,
  FunctionExpression: visitUnfollowed,
  ArrowFunctionExpression: visitUnfollowed,
  ClassBody: (walk, node) => visitChildren(repeated(walk), node),
  WhileStatement: (walk, node) => visitChildren(repeated(walk), node),
  DoWhileStatement: (walk, node) => visitChildren(repeated(walk), node),
  ForStatement: visitFor,
  ForInStatement: visitForIn,
  ForOfStatement: visitForOf,
};

function repeated(walk: Walk): Walk {
  return { ...walk, repeats: true };
}

function visitChildren(walk: Walk, node: AnyNode): void {
  for (const child of childrenOf(node)) {
    if (isHarmlessPlace(node, child)) visitHarmless(walk, child);
    else visit(walk, child);
  }
}

// Places where the value of an expression is looked at and dropped.
function isHarmlessPlace(node: AnyNode, child: AnyNode): boolean {
  switch (node.type) {
    case 'ExpressionStatement':
      return true;
    case 'BinaryExpression':
      return node.operator !== 'instanceof';
    case 'UnaryExpression':
      return node.operator !== 'delete';
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return node.test === child;
    case 'LogicalExpression':
      return node.operator === '&&' && node.left === child;
    default:
      return false;
  }
}

/** The same where the value is looked at and dropped. */
export function visitHarmless(walk: Walk, node: AnyNode): void {
  const reads = node.type === 'Identifier' || node.type === 'MemberExpression' || node.type === 'ChainExpression';
  if (reads) visitRead(walk, node, true);
  else visit(walk, node);
}

export function visitHarmlessIf(harmless: boolean, walk: Walk, node: AnyNode): void {
  (harmless ? visitHarmless : visit)(walk, node);
}

function visitRead(walk: Walk, node: AnyNode, harmless: boolean): void {
  const { root, members } = chainOf(node);
  const value = svcValueOf(walk.state, node, walk.env);
  if (value && !harmless) handOn(walk, value, node);
  if (root.type !== 'Identifier') visit(walk, root);
  for (const member of members) if (member.computed) visit(walk, member.property);
}

// Whoever holds the function of one action can only make that call; whoever holds more can make calls we cannot name.
function handOn(walk: Walk, value: SvcValue, node: AnyNode): void {
  if (isTarget(walk, node)) signal(walk.state, `${describe(value)} is changed`, node);
  else if (value.kind !== 'action') signal(walk.state, `${describe(value)} is passed on or stored, so calls through it are not seen`, node);
  else walk.found({ alias: value.alias, action: value.action, node, call: null, env: walk.env, repeats: true });
}

function isTarget({ state: { scopes } }: Walk, node: AnyNode): boolean {
  const parent = scopes.parentOf.get(node);
  if (parent?.type === 'Property') return scopes.parentOf.get(parent)?.type === 'ObjectPattern';
  return parent !== undefined && isWriteTo(parent, node);
}

function visitDeclarator(walk: Walk, { id, init }: VariableDeclarator): void {
  visitDefaults(walk, id);
  if (!init) return;
  if (id.type === 'Identifier' && isFunction(init) && isFollowed(walk, id, init)) return;
  const value = svcValueOf(walk.state, init, walk.env);
  if (value) bindPattern(walk.state, innerEnv(walk.env), id, value);
  visitHarmlessIf(value !== null, walk, init);
}

function isFollowed({ state }: Walk, name: AnyNode | null, node: FunctionNode): boolean {
  return name !== null && followedFunction(state, name) === node;
}

/** The expressions in a pattern: defaults, computed keys, and what assignments would go to. */
export function visitDefaults(walk: Walk, node: AnyNode): void {
  if (node.type === 'Identifier') return;
  if (node.type === 'AssignmentPattern') visit(walk, node.right);
  else if (node.type === 'Property' && node.computed) visit(walk, node.key);
  else if (node.type === 'MemberExpression') visit(walk, node);
  for (const part of partsOf(node)) visitDefaults(walk, part);
}

function partsOf(node: AnyNode): AnyNode[] {
  if (node.type === 'AssignmentPattern') return [node.left];
  if (node.type === 'Property') return [node.value];
  return node.type === 'ObjectPattern' || node.type === 'ArrayPattern' || node.type === 'RestElement' ? childrenOf(node) : [];
}

function visitFunctionDeclaration(walk: Walk, node: Extract<AnyNode, { type: 'FunctionDeclaration' }>): void {
  if (isFunction(node) && !isFollowed(walk, node.id, node)) visitUnfollowed(walk, node);
}

function visitUnfollowed(walk: Walk, node: FunctionNode): void {
  const inner = { ...walk, repeats: true };
  for (const parameter of node.params) visitDefaults(inner, parameter);
  visit(inner, node.body);
}

function visitFor(walk: Walk, { init, test, update, body }: ForStatement): void {
  if (init) visit(walk, init);
  for (const part of [test, update, body]) if (part) visit(repeated(walk), part);
}

function visitForIn(walk: Walk, { left, right, body }: ForInStatement): void {
  visit(walk, right);
  for (const part of [left, body]) visit(repeated(walk), part);
}

function visitForOf(walk: Walk, { left, right, body, await: awaits }: ForOfStatement): void {
  visit(walk, right);
  const pattern = left.type === 'VariableDeclaration' ? left.declarations[0]!.id : null;
  const elements = awaits ? null : elementsOf(walk, right);
  if (elements && pattern && isSettled(walk, pattern, elements)) {
    visitDefaults(walk, pattern);
    for (const element of elements) visit(withElement(walk, pattern, element), body);
  } else for (const part of [left, body]) visit(repeated(walk), part);
}

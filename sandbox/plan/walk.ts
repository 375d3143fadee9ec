import type { AnyNode, ArrowFunctionExpression, ForInStatement, ForOfStatement, ForStatement, VariableDeclarator } from 'acorn';
import { bindPattern } from './call-values.ts';
import { innerEnv, type State, spend } from './state.ts';
import { followedFunction, svcValueOf } from './svc.ts';
import { childrenOf, type FunctionNode, isFunction } from './syntax.ts';
import { enterFunction, visitCall } from './walk-calls.ts';
import { elementsOf, isSettled, withElement } from './walk-lists.ts';
import { visitDefaults, visitHarmless, visitHarmlessIf, visitRead } from './walk-reads.ts';
import type { FoundCall, Walk } from './walk-state.ts';

/**
 * Reports where the code calls an action, or passes on the function of an action. Follows the order
 * of execution. Throws TooDetailed.
 */
export function walkCalls(state: State, bareArrow: ArrowFunctionExpression | null, found: (call: FoundCall) => void): void {
  const walk: Walk = { state, found, active: new Set(), env: null, repeats: false, visit };
  if (bareArrow) enterFunction(walk, bareArrow, [{ kind: 'svc' }]);
  else visit(walk, state.program);
}

function visit(walk: Walk, node: AnyNode): void {
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

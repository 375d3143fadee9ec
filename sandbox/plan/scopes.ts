import type { AnyNode, Identifier, Pattern, Program, VariableDeclaration, VariableDeclarator } from 'acorn';
import { childrenOf, type FunctionNode, isFunction, leavesOf } from './syntax.ts';

type Kind = 'const' | 'let' | 'var' | 'function' | 'param' | 'hoisted' | 'other';

/** A name that the code declares. If `writes` is above 0, its value may change. */
export interface Binding {
  name: string;
  kind: Kind;
  /** Null for other declarations than `const`, `let` and `var`. */
  declarator: VariableDeclarator | null;
  /** Null for other declarations than functions. */
  function: FunctionNode | null;
  references: Identifier[];
  writes: number;
}

export interface Scopes {
  /** Undeclared names have no binding. */
  bindingOf: Map<Identifier, Binding>;
  parentOf: Map<AnyNode, AnyNode>;
  globals: Identifier[];
  globalWrites: Set<string>;
  /** Names whose scope rules are not supported. Each makes the plan `dynamic`. */
  conflicts: Identifier[];
}

/** Finds the declaration of each identifier of a program. Throws RangeError for too many scopes. */
export function readScopes(program: Program): Scopes {
  const scopes: Scopes = { bindingOf: new Map(), parentOf: new Map(), globals: [], globalWrites: new Set(), conflicts: [] };
  const draft: Draft = { ...scopes, scopeOf: new Map(), blockFunctions: [], hoisted: [], stepsLeft: MAX_STEPS };
  const top: Scope = { parent: null, bindings: new Map(), holdsVars: true };
  declareIn(draft, program, top);
  hoistBlockFunctions(draft);
  const svcVar = top.bindings.get('svc');
  for (const [identifier, binding] of scopes.bindingOf) if (binding === svcVar) scopes.conflicts.push(identifier);
  resolveIn(draft, program, top);
  for (const { references } of draft.hoisted) scopes.conflicts.push(...references.slice(0, 1));
  return scopes;
}

interface Scope {
  parent: Scope | null;
  bindings: Map<string, Binding>;
  /** Whether a `var` inside belongs to this scope, as in a function. */
  holdsVars: boolean;
  /** For the scope of a function's body: the scope of the parameters, if that is a separate one. */
  parameters?: Scope;
}

interface Draft extends Scopes {
  scopeOf: Map<AnyNode, Scope>;
  blockFunctions: { identifier: Identifier; scope: Scope }[];
  hoisted: Binding[];
  stepsLeft: number;
}

const MAX_STEPS = 3_000_000;

function declareIn(draft: Draft, node: AnyNode, outer: Scope): void {
  const scope = openScope(draft, node, outer);
  if (node.type === 'VariableDeclaration') declareVariables(draft, node, scope);
  else if (node.type === 'FunctionDeclaration' && node.id) declareFunction(draft, node, node.id, outer);
  else if (node.type === 'ClassDeclaration' && node.id) declare(draft, node.id, 'other', outer);
  for (const child of childrenOf(node)) {
    draft.parentOf.set(child, node);
    declareIn(draft, child, node.type === 'SwitchStatement' && child === node.discriminant ? outer : scope);
  }
}

function openScope(draft: Draft, node: AnyNode, outer: Scope): Scope {
  if (isFunction(node)) return openFunction(draft, node, outer);
  const own = OPENS_SCOPE.has(node.type) && !draft.scopeOf.has(node) ? newScope(outer, node.type === 'StaticBlock') : outer;
  const scope = draft.scopeOf.get(node) ?? own;
  if (scope !== outer) draft.scopeOf.set(node, scope);
  if (node.type === 'CatchClause' && node.param) declarePattern(draft, node.param, 'other', scope);
  if (node.type === 'ClassExpression' && node.id) declare(draft, node.id, 'other', scope);
  return scope;
}

const OPENS_SCOPE = new Set<string>([
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'StaticBlock',
  'ClassExpression',
]);

// Expressions in parameters do not see the variables of the body, so the body has a separate scope
// unless all parameters are plain names.
function openFunction(draft: Draft, node: FunctionNode, outer: Scope): Scope {
  const named = node.type === 'FunctionExpression' && node.id ? newScope(outer, false) : outer;
  if (node.type === 'FunctionExpression' && node.id) declare(draft, node.id, 'other', named);
  const simple = node.params.every((param) => param.type === 'Identifier');
  const parameters = newScope(named, true);
  for (const param of node.params) declarePattern(draft, param, 'param', parameters);
  draft.scopeOf.set(node, parameters);
  draft.scopeOf.set(node.body, simple ? parameters : { ...newScope(parameters, true), parameters });
  return parameters;
}

function newScope(parent: Scope, holdsVars: boolean): Scope {
  return { parent, bindings: new Map(), holdsVars };
}

function declareVariables(draft: Draft, node: VariableDeclaration, scope: Scope): void {
  const isVar = node.kind === 'var';
  const kind = isVar ? 'var' : node.kind === 'let' ? 'let' : node.kind === 'const' ? 'const' : 'other';
  for (const declarator of node.declarations) declarePattern(draft, declarator.id, kind, isVar ? varScope(scope) : scope, declarator);
}

function varScope(scope: Scope): Scope {
  return scope.holdsVars || !scope.parent ? scope : varScope(scope.parent);
}

function declareFunction(draft: Draft, node: FunctionNode, identifier: Identifier, scope: Scope): void {
  declare(draft, identifier, 'function', scope).function = node;
  if (!scope.holdsVars) draft.blockFunctions.push({ identifier, scope });
}

function declarePattern(draft: Draft, pattern: Pattern, kind: Kind, scope: Scope, declarator: VariableDeclarator | null = null): void {
  for (const { identifier } of leavesOf(pattern)) {
    const binding = declare(draft, identifier, kind, scope);
    binding.declarator ??= declarator;
  }
}

function declare(draft: Draft, identifier: Identifier, kind: Kind, scope: Scope): Binding {
  if (scope.parameters?.bindings.has(identifier.name)) draft.conflicts.push(identifier);
  const earlier = scope.bindings.get(identifier.name);
  if (earlier) earlier.writes += 1;
  const binding: Binding = earlier ?? { name: identifier.name, kind, declarator: null, function: null, references: [], writes: 0 };
  scope.bindings.set(identifier.name, binding);
  draft.bindingOf.set(identifier, binding);
  return binding;
}

// Outside of strict mode, a function in a block is also a variable of the enclosing function if the
// name is free there.
function hoistBlockFunctions(draft: Draft): void {
  for (const { identifier, scope } of draft.blockFunctions) {
    const outer = lookUp(draft, scope.parent!, identifier.name);
    if (identifier.name === 'svc' || (outer && outer.kind !== 'hoisted')) draft.conflicts.push(identifier);
    else if (!outer) {
      const hoisted: Binding = { name: identifier.name, kind: 'hoisted', declarator: null, function: null, references: [], writes: 1 };
      varScope(scope).bindings.set(identifier.name, hoisted);
      draft.hoisted.push(hoisted);
    }
  }
}

function lookUp(draft: Draft, scope: Scope, name: string): Binding | undefined {
  for (let at: Scope | null = scope; at; at = at.parent) {
    draft.stepsLeft -= 1;
    if (draft.stepsLeft < 0) throw new RangeError('too many scopes');
    const found = at.bindings.get(name);
    if (found) return found;
  }
  return undefined;
}

function resolveIn(draft: Draft, node: AnyNode, outer: Scope): void {
  const scope = draft.scopeOf.get(node) ?? outer;
  if (node.type === 'Identifier') resolve(draft, node, scope);
  for (const child of childrenOf(node))
    resolveIn(draft, child, node.type === 'SwitchStatement' && child === node.discriminant ? outer : scope);
}

function resolve(draft: Draft, identifier: Identifier, scope: Scope): void {
  if (draft.bindingOf.has(identifier)) return;
  const written = isWritten(draft, identifier);
  const binding = lookUp(draft, scope, identifier.name);
  if (!binding) {
    draft.globals.push(identifier);
    if (written) draft.globalWrites.add(identifier.name);
    return;
  }
  draft.bindingOf.set(identifier, binding);
  binding.references.push(identifier);
  if (written) binding.writes += 1;
}

function isWritten({ parentOf }: Draft, identifier: Identifier): boolean {
  let [node, parent]: [AnyNode, AnyNode | undefined] = [identifier, parentOf.get(identifier)];
  while (parent && PATTERNS.has(parent.type) && !(parent.type === 'AssignmentPattern' && parent.right === node)) {
    [node, parent] = [parent, parentOf.get(parent)];
  }
  if (parent?.type === 'UpdateExpression') return true;
  if (parent?.type !== 'AssignmentExpression' && parent?.type !== 'ForInStatement' && parent?.type !== 'ForOfStatement') return false;
  return parent.left === node;
}

const PATTERNS = new Set<string>(['ObjectPattern', 'ArrayPattern', 'RestElement', 'AssignmentPattern', 'Property']);

import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  MemberExpression,
  Pattern,
} from 'acorn';

export type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression | (FunctionDeclaration & { id: null });

/** The child nodes that contain code, without mere labels and keys. */
export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const name of partNames(node)) {
    const part = (node as unknown as Record<string, unknown>)[name];
    if (Array.isArray(part)) {
      for (const item of part) if (isNode(item)) children.push(item);
    } else if (isNode(part) && !isOnlyAName(node, name)) children.push(part);
  }
  return children;
}

/** The offset of the start of each line of a text. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + end.length);
  return starts;
}

/** The line of an offset, from 1. `starts`: the result of `lineStartsOf`. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

export function isFunction(node: AnyNode | null | undefined): node is FunctionNode {
  return node?.type === 'FunctionDeclaration' || node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression';
}

/** The key of a member expression or property, if it is a name or literal. */
export function staticKey(node: AnyNode): string | undefined {
  if (node.type === 'MemberExpression') return node.computed ? literalKey(node.property) : nameOf(node.property);
  if (node.type === 'Property') return node.computed ? literalKey(node.key) : (nameOf(node.key) ?? literalKey(node.key));
  return undefined;
}

/** Whether an expression certainly makes a value that is no function. */
export function isData(node: AnyNode): boolean {
  return ['Literal', 'TemplateLiteral', 'ObjectExpression', 'ArrayExpression'].includes(node.type);
}

/**
 * The names that a pattern binds. `path`: the keys that lead to the pattern; null if a key is
 * unknown.
 */
export function leavesOf(pattern: Pattern, path: (string | number)[] | null = []): PatternLeaf[] {
  switch (pattern.type) {
    case 'Identifier':
      return [{ identifier: pattern, path }];
    case 'AssignmentPattern':
      return leavesOf(pattern.left, path).map((leaf) => ({ ...leaf, mayDefault: true }));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => {
        if (property.type === 'RestElement') return leavesOf(property.argument, null);
        const key = staticKey(property);
        return leavesOf(property.value, path && key !== undefined ? [...path, key] : null);
      });
    case 'ArrayPattern':
      return pattern.elements.flatMap((element, index) => (element ? leavesOf(element, path && [...path, index]) : []));
    case 'RestElement':
      return leavesOf(pattern.argument, null);
    default:
      return [];
  }
}

export interface PatternLeaf {
  identifier: Identifier;
  /** Null if a key is unknown. */
  path: (string | number)[] | null;
  /** Whether a default value in the pattern may apply. */
  mayDefault?: boolean;
}

/** The start of a chain of member reads, and the reads in order. */
export function chainOf(node: AnyNode): { root: AnyNode; members: MemberExpression[] } {
  const members: MemberExpression[] = [];
  let root = node;
  for (;;) {
    if (root.type === 'ChainExpression') root = root.expression;
    else if (root.type === 'MemberExpression') {
      members.push(root);
      root = root.object;
    } else return { root, members: members.reverse() };
  }
}

// All nodes of a type have the same parts.
const PARTS = new Map<string, string[]>();
const NO_CODE = new Set([
  'type',
  'start',
  'end',
  'kind',
  'operator',
  'name',
  'raw',
  'computed',
  'static',
  'async',
  'generator',
  'optional',
]);

function partNames(node: AnyNode): string[] {
  const known = PARTS.get(node.type);
  if (known) return known;
  const names = Object.keys(node).filter((name) => !NO_CODE.has(name));
  PARTS.set(node.type, names);
  return names;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string';
}

function isOnlyAName(node: AnyNode, part: string): boolean {
  if (part === 'property') return node.type === 'MetaProperty' || (node.type === 'MemberExpression' && !node.computed);
  if (part === 'key') return !(node as { computed?: boolean }).computed;
  return part === 'label' || part === 'meta';
}

function nameOf(node: AnyNode): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined;
}

function literalKey(node: AnyNode): string | undefined {
  const literal = node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number');
  return literal ? String(node.value) : undefined;
}

import { type AnyNode, getLineInfo } from 'acorn';
import { childrenOf, lineStartsOf } from './plan-syntax.ts';
import type { PreparedCode, SourcePosition } from './prepare-code.ts';

/** Where the `import(…)` is that the engine refused: it names the statement, or the `await`, that the first one after it belongs to. */
export function importPosition({ text, program }: PreparedCode, named: SourcePosition): SourcePosition {
  const from = (lineStartsOf(text)[named.line - 1] ?? 0) + named.column - 1;
  let first: AnyNode | undefined;
  for (const waiting: AnyNode[] = program ? [program] : []; waiting.length > 0; ) {
    const node = waiting.pop()!;
    if (node.type === 'ImportExpression' && node.start >= from && !(first && first.start < node.start)) first = node;
    waiting.push(...childrenOf(node));
  }
  if (!first) return named;
  const { line, column } = getLineInfo(text, first.start);
  return { line, column: column + 1 };
}

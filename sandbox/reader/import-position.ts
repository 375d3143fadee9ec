import { type AnyNode, getLineInfo } from 'acorn';
import { childrenOf } from '../plan/syntax.ts';
import type { PreparedCode, RunnableCode, SourcePosition } from './prepare-code.ts';

/** The positions of the first `import(…)` in the code, in order. */
export function importsOf({ text, program }: PreparedCode): SourcePosition[] {
  const starts: number[] = [];
  for (const waiting: AnyNode[] = program ? [program] : []; waiting.length > 0; ) {
    const node = waiting.pop()!;
    if (node.type === 'ImportExpression') starts.push(node.start);
    for (const child of childrenOf(node)) waiting.push(child);
  }
  return starts
    .sort((one, other) => one - other)
    .slice(0, MAX_IMPORTS)
    .map((start) => {
      const { line, column } = getLineInfo(text, start);
      return { line, column: column + 1 };
    });
}

/**
 * The position of the `import(…)` that the engine refused. The engine names only the statement or
 * the `await` before it: `named`.
 */
export function importPosition({ imports }: Pick<RunnableCode, 'imports'>, named: SourcePosition): SourcePosition {
  const isAfter = ({ line, column }: SourcePosition) => line > named.line || (line === named.line && column >= named.column);
  return imports.find(isAfter) ?? named;
}

const MAX_IMPORTS = 100;

import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { DocumentProblem } from './document-problem.ts';

/** A position in a text. Line and column count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** Finds where problems begin in the text of a document. */
export function locate(text: string, problems: readonly DocumentProblem[]): (Place | undefined)[] {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, merge: true, keepSourceTokens: false });
  return problems.map(({ path, ofKey }) => {
    const offset = contents && offsetOf(contents, path, ofKey === true);
    if (offset === undefined || offset === null) return undefined;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  });
}

function offsetOf(root: Node, path: DocumentProblem['path'], ofKey: boolean): number | undefined {
  let node: Node = root;
  let offset = root.range?.[0];
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) return offset;
      const isLast = index === path.length - 1;
      offset = (pair.key as Node).range?.[0] ?? offset;
      if (isLast && ofKey) return offset;
      node = pair.value as Node;
    } else if (isSeq(node)) {
      node = node.items[Number(step)] as Node;
    } else return offset;
    if (!node?.range) return offset;
    offset = node.range[0];
  }
  return offset;
}

import type { Highlighter } from './highlight-js.d.ts';

/** Code that is longer, or has a longer line, is shown plain: the library's time grows with the square of some of them, and everybody else waits. */
const MAX_LENGTH = 20_000;
const MAX_LINE_LENGTH = 500;

/**
 * JavaScript as HTML, line by line: everything escaped, words marked by the classes `hljs-…` of the style sheet, and no mark reaching over a
 * line end. The library is loaded with the first program that somebody looks at.
 */
export async function highlightCode(lines: readonly string[]): Promise<string[]> {
  const code = lines.join('\n');
  if (code.length > MAX_LENGTH || lines.some((line) => line.length > MAX_LINE_LENGTH)) return lines.map(escapeMarkup);
  loading ??= loadHighlighter();
  return splitLines((await loading).highlight(code, { language: 'javascript', ignoreIllegals: true }).value);
}

let loading: Promise<Highlighter> | undefined;

async function loadHighlighter(): Promise<Highlighter> {
  const [{ default: highlighter }, { default: javascript }] = await Promise.all([
    import('highlight.js/lib/core'),
    import('highlight.js/lib/languages/javascript'),
  ]);
  highlighter.registerLanguage('javascript', javascript);
  return highlighter;
}

/** Marks that are open at a line end are closed there and opened again. */
function splitLines(html: string): string[] {
  const open: string[] = [];
  const lines: string[] = [];
  let line = '';
  for (const [piece] of html.matchAll(/<span[^>]*>|<\/span>|\n|[^<\n]+/g)) {
    if (piece === '\n') {
      lines.push(line + '</span>'.repeat(open.length));
      line = open.join('');
    } else {
      if (piece.startsWith('<span')) open.push(piece);
      else if (piece === '</span>') open.pop();
      line += piece;
    }
  }
  return [...lines, line];
}

/** A text as HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

import type { Highlighter } from './highlight-js.d.ts';

/**
 * Limits in characters. Longer code is not highlighted: highlight.js blocks the event loop, and for
 * some inputs its time grows with the square of the length.
 */
const MAX_LENGTH = 20_000;
const MAX_LINE_LENGTH = 500;

/**
 * Converts lines of JavaScript to escaped HTML, one string per line. No element spans several
 * lines.
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

/** Escapes a text for HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

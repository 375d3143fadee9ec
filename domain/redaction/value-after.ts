/** The name of a secret in a text, with its separator. */
export interface Found {
  name: string;
  separator: string;
  /** Offset after the separator. */
  at: number;
  /** Whether a setting or header begins the line. */
  opensLine: boolean;
  /** The quote that is open at the separator, or empty. */
  quote: string;
}

/** The end is exclusive. */
type Span = [start: number, end: number];

/** Returns the span of the value after a separator. */
export function valueAfter(text: string, found: Found): Span {
  const { separator, at, name, opensLine, quote } = found;
  if (separator === '>') return [at, endOfElement(text, at, name)];
  const isColon = /[:：]/.test(separator);
  const gap = isColon ? /[ \t=>]*(?:\r?\n[ \t]*)?/y : /[ \t=>]*/y;
  const start = at + matchAt(gap, text, at).length;
  if (quote !== '') return [start, endOfQuoted(text, start, quote)];
  const block = isColon && opensLine ? matchAt(BLOCK, text, at) : '';
  if (block !== '') return [start, endOfBlock(text, at + block.length, lineBefore(text, at))];
  const opening = matchAt(/\\*(?:"""|'''|["'`])/y, text, start);
  if (opening !== '') return [start + opening.length, endOfQuoted(text, start + opening.length, opening)];
  if (/[[{]/.test(text[start] ?? '')) return [start, endOfBrackets(text, start)];
  return [start, start + matchAt(valuePattern(text, start, found, isColon), text, start).length];
}

/** Number of characters that are searched backwards. */
const NEAR = 300;

/** Matches the rest of a line that starts a YAML block: at most an indicator and a comment. */
const BLOCK = /[ \t]*(?:[|>][+-]?\d?[+-]?)?[ \t]*(?:#[^\r\n]*)?\r?\n/y;

function lineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - NEAR), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/**
 * A YAML block ends before the first non-empty line that is not indented more than the line of the
 * name. List items may have the same indentation.
 */
function endOfBlock(text: string, from: number, line: string): number {
  const indent = /^[ \t]*/.exec(line)![0].length;
  let end = from;
  for (const { 0: next } of text.slice(from).matchAll(/[^\n]*\n?/g)) {
    const own = /^[ \t]*/.exec(next)![0].length;
    const isInside = next.trim() === '' || own > indent || (own === indent && /^[ \t]*- /.test(next)) || end === from;
    if (next === '' || !isInside) break;
    end += next.length;
  }
  return from + text.slice(from, end).trimEnd().length;
}

const HEADER = /authori[sz]ation|cookie/i;

function valuePattern(text: string, start: number, { opensLine, name }: Found, isColon: boolean): RegExp {
  if (isColon && (opensLine || HEADER.test(name))) return /[^\r\n]*/y;
  const word = /\S*[ \t]?$/.exec(text.slice(Math.max(0, start - NEAR), start))![0];
  if (/:\/\/|[?&#;]|%/.test(word)) return /(?:(?!%26|&amp;)[^&;\s"'`<>#])*/y;
  if (opensLine && /[ \t]$/.test(word)) return /(?:(?!;)[^\r\n])*/y;
  if (opensLine) return /(?:(?!%26|&amp;|[&;][ \t]*[\w.%[\] -]*=)\S)*/y;
  return /(?:(?!%26|&amp;|[&;][ \t]*[\w.%[\] -]*=|;?[)}\]]*[,;]?(?:\s|$))[^\s"'`<>])*/y;
}

function endOfElement(text: string, start: number, name: string): number {
  const end = text.slice(start, start + 2000).indexOf(`</${name}`);
  return end === -1 ? start + matchAt(/(?:<!\[CDATA\[)?[^<]*/y, text, start).length : start + end;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = text.indexOf(quote, start);
    return end === -1 ? text.length : end;
  }
  const inside = { '"': /(?:[^"\\]|\\.|"")*/sy, "'": /(?:[^'\\]|\\.|'')*/sy, '`': /(?:[^`\\]|\\.)*/sy }[quote]!;
  return start + matchAt(inside, text, start).length;
}

/**
 * Returns the offset after the closing bracket, or the end of the text. Brackets in quotes do not
 * count.
 */
function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (const { 0: found, index } of text.slice(start).matchAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[[{]|[\]}]/g)) {
    if (/^[[{]/.test(found)) depth += 1;
    else if (/^[\]}]/.test(found)) depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

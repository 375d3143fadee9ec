import { escapeHidden } from '../../domain/redaction/visible-text.ts';

/**
 * Converts a text from a program to a Markdown code block. The text cannot close the block, because
 * the fence is longer than any sequence of backticks in the text.
 */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${escapeHidden(text)}\n${fence}`;
}

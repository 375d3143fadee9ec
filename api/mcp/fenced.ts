import { escapeHidden } from '../../domain/redaction/visible-text.ts';

/** Text of a program as a Markdown code block that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${escapeHidden(text)}\n${fence}`;
}

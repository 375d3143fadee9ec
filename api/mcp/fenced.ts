import { escapeHidden } from '../../domain/preview-input.ts';

/** A text of a program as a code block that nothing in it can end: so it cannot pass for what we say. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${escapeHidden(text)}\n${fence}`;
}

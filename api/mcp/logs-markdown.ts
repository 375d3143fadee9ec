import type { LogLine } from '../../domain/code-run.ts';
import { fenced } from './fenced.ts';

/** Maximum length of all shown lines together, in characters. */
const MAX_LENGTH = 2000;

/**
 * Returns the last log lines of a program as Markdown, for text-only clients. `all` is a phrase
 * that says where the complete logs are.
 */
export function logsMarkdown(logs: readonly LogLine[], all: string): string {
  if (logs.length === 0) return '';
  const shown: string[] = [];
  let left = MAX_LENGTH;
  for (let index = logs.length - 1; index >= 0 && left > 0; index--) {
    const { level, message } = logs[index]!;
    const line = level === 'log' ? message : `${level}: ${message}`;
    if (line.length > left && shown.length > 0) break;
    shown.unshift(line.length > left ? `${line.slice(0, left).toWellFormed()}…` : line);
    left -= line.length + 1;
  }
  const isCut = shown.length < logs.length || shown[0]!.length > MAX_LENGTH;
  return `Logs${isCut ? ` (the last ${shown.length} of ${logs.length} lines, cut; ${all})` : ''}:\n\n${fenced(shown.join('\n'))}`;
}

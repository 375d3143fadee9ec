import { hashCode } from '../../commands/code-runs/plan/plan-code-run.ts';
import { type Program, redactCode } from '../../commands/reviews/redact-code.ts';
import { escapeHidden } from '../../domain/redaction/visible-text.ts';

/** The program of a code run for a terminal, with possible secrets hidden. */
export async function describeCode({ code, codeHash, orgId }: Program & { codeHash: string }): Promise<string> {
  const { lines, hiddenLines } = await redactCode({ code, orgId });
  const width = String(lines.length).length;
  const shown = lines.map((line, index) => `${String(index + 1).padStart(width)}  ${escapeHidden(line)}`.trimEnd());
  return [
    `Program, ${lines.length === 1 ? 'one line' : `${lines.length} lines`}, SHA-256 ${codeHash}:`,
    ...shown,
    ...(hiddenLines.length > 0
      ? [`Hidden: possible secrets in ${hiddenLines.length === 1 ? 'line' : 'lines'} ${hiddenLines.join(', ')}.`]
      : []),
    ...(hashCode(code) === codeHash ? [] : ['Warning: this is not the program that the approval was requested for: its hash differs.']),
  ].join('\n');
}

/** The program for JSON, with possible secrets hidden. */
export async function codeAsText(program: Program): Promise<string> {
  const { lines } = await redactCode(program);
  return lines.map(escapeHidden).join('\n');
}

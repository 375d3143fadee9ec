import { hashCode } from '../../commands/plan-code-run.ts';
import { type Program, redactCode } from '../../commands/redact-code.ts';
import { escapeHidden } from '../../domain/preview-input.ts';

/** The program of a code run for a terminal, whole and with the numbers of its lines: secrets hidden as on the approval page. */
export async function describeCode({ code, codeHash, orgId }: Program & { codeHash: string }): Promise<string> {
  const { lines, hiddenLines } = await redactCode({ code, orgId });
  const width = String(lines.length).length;
  const shown = lines.map((line, index) => `${String(index + 1).padStart(width)}  ${escapeHidden(line)}`.trimEnd());
  return [
    `Program, ${lines.length === 1 ? 'one line' : `${lines.length} lines`}, SHA-256 ${codeHash}:`,
    ...shown,
    ...(hiddenLines.length > 0
      ? [`Hidden: what looks secret in ${hiddenLines.length === 1 ? 'line' : 'lines'} ${hiddenLines.join(', ')}.`]
      : []),
    ...(hashCode(code) === codeHash ? [] : ['This is not the program that was asked about: it does not have that hash.']),
  ].join('\n');
}

/** The same for programs: its text alone. */
export async function codeAsText(program: Program): Promise<string> {
  const { lines } = await redactCode(program);
  return lines.map(escapeHidden).join('\n');
}

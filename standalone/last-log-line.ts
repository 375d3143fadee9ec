import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Returns the last entry of a log file after the byte offset `from`, as one line without details.
 */
export function lastLogLine(file: string, from = 0): string {
  const lines = readEnd(file, from).split('\n');
  const line = lines.findLast((text) => text.trim() !== '' && !PART_OF_A_TRACE.test(text)) ?? '';
  return messageOf(line).slice(0, 400).replace(/\.$/, '') || 'it logged nothing';
}

const PART_OF_A_TRACE = /^(\s|\}|Node\.js v)/;

function messageOf(line: string): string {
  try {
    const record = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [record.msg, record.err?.message].filter(Boolean).join(': ') || line;
  } catch {
    return line;
  }
}

function readEnd(file: string, from: number): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.max(0, Math.min(size - from, 8192)));
    readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

import type { LogLevel } from '../host/pass.ts';
import { performance } from './clock.ts';
import { inspectLine } from './inspect.ts';
import { create, jsonStringify, slice, toText, toWellFormed, utf8Length } from './primordials.ts';

interface LogLimits {
  logMaxLines: number;
  logMaxBytes: number;
}

const INDENT = '  ';
const INDENT_MAX_LENGTH = 40;

let send: (line: string) => void = () => {};
let linesLeft = 0;
let bytesLeft = 0;
let indent = '';
const counts: Record<string, number> = create(null);
const timers: Record<string, number> = create(null);

/**
 * Sets the limits of the log. When a limit is exceeded, one more line is sent, so that the host
 * notices.
 */
export function openConsole(limits: LogLimits, onLine: (line: string) => void): void {
  send = onLine;
  linesLeft = limits.logMaxLines;
  bytesLeft = limits.logMaxBytes;
}

export const console = Object.freeze({
  log: writer('log'),
  info: writer('info'),
  warn: writer('warn'),
  error: writer('error'),
  debug: writer('debug'),
  dir: (value?: unknown) => write('log', [value]),
  table: (value?: unknown) => write('log', [value]),
  trace: (...values: unknown[]) => write('debug', values, 'Trace:'),
  group: openGroup,
  groupCollapsed: openGroup,
  groupEnd: () => {
    indent = slice(indent, INDENT.length);
  },
  count: (label?: unknown) => {
    const name = labelOf(label);
    counts[name] = (counts[name] ?? 0) + 1;
    write('log', [], `${name}: ${counts[name]}`);
  },
  countReset: (label?: unknown) => {
    delete counts[labelOf(label)];
  },
  time: (label?: unknown) => {
    timers[labelOf(label)] ??= performance.now();
  },
  timeLog: (label?: unknown, ...values: unknown[]) => writeTime(labelOf(label), values),
  timeEnd: (label?: unknown) => {
    const name = labelOf(label);
    writeTime(name, []);
    delete timers[name];
  },
  assert: (condition?: unknown, ...values: unknown[]) => {
    if (!condition) write('error', values, 'Assertion failed');
  },
});

function writer(level: LogLevel) {
  return (...values: unknown[]) => write(level, values);
}

function openGroup(...values: unknown[]): void {
  if (values.length > 0) write('log', values);
  if (indent.length < INDENT_MAX_LENGTH) indent += INDENT;
}

/** Logs the time of a timer by the run's clock, which stands still while code computes. */
function writeTime(name: string, values: unknown[]): void {
  const startedAt = timers[name];
  if (startedAt === undefined) write('warn', [], `There is no timer ${name}`);
  else write('log', values, `${name}: ${performance.now() - startedAt} ms`);
}

function labelOf(label: unknown): string {
  return label === undefined ? 'default' : slice(toText(label), 0, 1000);
}

function write(level: LogLevel, values: unknown[], title = ''): void {
  if (isFull()) return;
  const message = toWellFormed(`${indent}${title}${title !== '' && values.length > 0 ? ' ' : ''}${inspectLine(values)}`);
  // A getter of a shown value may have logged.
  if (isFull()) return;
  linesLeft--;
  bytesLeft -= utf8Length(message);
  send(`{"kind":"log","level":"${level}","message":${jsonStringify(message)}}`);
}

function isFull(): boolean {
  return linesLeft < 0 || bytesLeft < 0;
}

import type { LogLevel } from '../pass.ts';
import { inspectLine } from './inspect.ts';
import { jsonStringify, toWellFormed, utf8Length } from './primordials.ts';

interface LogLimits {
  logMaxLines: number;
  logMaxBytes: number;
}

let send: (line: string) => void = () => {};
let linesLeft = 0;
let bytesLeft = 0;

/** Lines go to the host at once, so that a run that never ends still shows what it wrote; past the limit one last one goes. */
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
  trace: writer('debug'),
  group: writer('log'),
  groupEnd: () => {},
  time: () => {},
  timeEnd: () => {},
  assert: (condition?: unknown, ...values: unknown[]) => {
    if (!condition) write('error', ['Assertion failed', ...values]);
  },
});

function writer(level: LogLevel) {
  return (...values: unknown[]) => write(level, values);
}

function write(level: LogLevel, values: unknown[]): void {
  if (linesLeft < 0 || bytesLeft < 0) return;
  const message = toWellFormed(inspectLine(values));
  linesLeft--;
  bytesLeft -= utf8Length(message);
  send(`{"kind":"log","level":"${level}","message":${jsonStringify(message)}}`);
}

import { pino } from 'pino';

export type Logger = ReturnType<typeof openLogger>;

/** Structured logs on stderr. Log ids and codes only: no bodies, headers or credentials. */
export function openLogger(level: string, bindings: Record<string, unknown> = {}) {
  return pino(
    { level, base: bindings, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination(2),
  );
}

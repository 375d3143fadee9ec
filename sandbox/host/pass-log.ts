import { CODE_RUN } from '../../domain/limits.ts';
import type { LogLevel, LogLine } from './pass.ts';

/** The last line of a log that was cut. */
export const LOG_CUT = `The log ends here: a run keeps ${CODE_RUN.logMaxLines} lines or ${CODE_RUN.logMaxBytes / 1024} kB.`;

/** Collects the log of one pass (execution of the code), within the limits of specification 8. */
export function passLog() {
  const lines: LogLine[] = [];
  let bytes = 0;
  let isCut = false;

  return {
    lines,
    /** Returns false if the log is already cut: an intact isolate sends no more then. */
    add(level: LogLevel, message: string, now: number): boolean {
      if (isCut) return false;
      bytes += Buffer.byteLength(message);
      const timestamp = new Date(now).toISOString();
      if (bytes <= CODE_RUN.logMaxBytes && lines.length < CODE_RUN.logMaxLines) {
        lines.push({ level, message, timestamp });
      } else {
        isCut = true;
        lines.splice(CODE_RUN.logMaxLines - 1);
        lines.push({ level: 'warn', message: LOG_CUT, timestamp });
      }
      return true;
    },
  };
}

import type { SandboxEvent } from '../host/pass.ts';
import { callerPosition, type RunnableCode } from './prepare-code.ts';

/**
 * Returns a function that converts the position of a call to a position in the original code.
 * Removes a position outside that code, because the sandbox may report anything.
 */
export function placesInCode(program: Pick<RunnableCode, 'lineLengths' | 'shift'>): (event: SandboxEvent) => SandboxEvent {
  const { lineLengths } = program;
  return (event) => {
    if (event.kind !== 'call' || event.line === undefined || event.column === undefined) return event;
    const { line, column, ...call } = event;
    const place = callerPosition(program, { line, column });
    const isThere = line >= 1 && line <= lineLengths.length && place.column >= 1 && place.column <= lineLengths[line - 1]! + 1;
    return isThere ? { ...call, ...place } : call;
  };
}

import { LINE_END } from '../domain/beginning-of-code.ts';
import type { SandboxEvent } from './pass.ts';
import { callerPosition, type PreparedCode } from './prepare-code.ts';

/** Answers events with the place in the caller's own code at which each call stands; without one where the code has no such place, whatever the sandbox said. */
export function placesInCode(prepared: Pick<PreparedCode, 'text' | 'shift'>): (event: SandboxEvent) => SandboxEvent {
  let lengths: number[] | undefined;
  return (event) => {
    if (event.kind !== 'call' || event.line === undefined || event.column === undefined) return event;
    const { line, column, ...call } = event;
    const place = callerPosition(prepared, { line, column });
    lengths ??= prepared.text.split(LINE_END).map(({ length }) => length);
    const isThere = line >= 1 && line <= lengths.length && place.column >= 1 && place.column <= lengths[line - 1]! + 1;
    return isThere ? { ...call, ...place } : call;
  };
}

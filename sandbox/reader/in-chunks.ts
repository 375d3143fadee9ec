import { setImmediate } from 'node:timers/promises';
import type { SandboxEvent } from '../host/pass.ts';

/** Limit of the inputs of a chunk in UTF-16 units. A longer input is a chunk alone. */
const CHUNK_LENGTH = 1024 * 1024;

/**
 * Passes the events to `take` in parts, between which the event loop runs. Returns the first answer
 * that is not undefined.
 */
export async function inChunks<Answer>(
  events: readonly SandboxEvent[],
  take: (chunk: SandboxEvent[]) => Answer | undefined,
): Promise<Answer | undefined> {
  for (let first = 0; first < events.length; ) {
    if (first > 0) await setImmediate();
    let next = first;
    for (let length = 0; next < events.length && (next === first || length + lengthOf(events[next]!) <= CHUNK_LENGTH); next++)
      length += lengthOf(events[next]!);
    const answer = take(events.slice(first, next));
    if (answer !== undefined) return answer;
    first = next;
  }
  return undefined;
}

function lengthOf(event: SandboxEvent): number {
  return event.kind === 'call' ? event.input.length : 0;
}

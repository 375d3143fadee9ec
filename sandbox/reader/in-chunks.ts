import { setImmediate } from 'node:timers/promises';
import type { SandboxEvent } from '../host/pass.ts';

/** Limit of the total length of the inputs of one chunk, in UTF-16 units. */
const CHUNK_LENGTH = 1024 * 1024;

/**
 * Passes the events to `take` in order, in chunks with about a megabyte of inputs. The event loop
 * runs between two chunks. Stops at the first answer that is not undefined, and returns that
 * answer.
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

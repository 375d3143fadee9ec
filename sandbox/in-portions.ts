import { setImmediate } from 'node:timers/promises';
import type { SandboxEvent } from './pass.ts';

/** Inputs that are read one after the other before others get their turn, in UTF-16 units. */
const PORTION_LENGTH = 1024 * 1024;

/** Gives `take` the events in order, in portions of about a megabyte of inputs; between two of them this process does what else there is to do. Ends with the first answer that is not undefined. */
export async function inPortions<Answer>(
  events: readonly SandboxEvent[],
  take: (portion: SandboxEvent[]) => Answer | undefined,
): Promise<Answer | undefined> {
  for (let first = 0; first < events.length; ) {
    if (first > 0) await setImmediate();
    let next = first;
    for (let length = 0; next < events.length && (next === first || length + lengthOf(events[next]!) <= PORTION_LENGTH); next++)
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

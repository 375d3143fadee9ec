/** The parts that can be killed. */
export const TARGETS = ['api', 'worker', 'temporal', 'postgres'] as const;
export type Target = (typeof TARGETS)[number];

/** `effect` is the connection to an API that an action calls, or to a webhook receiver. */
export type Wire = 'postgres' | 'temporal' | 'effect';

/**
 * `before`: the receiver does not have the message yet. `after`: the receiver has answered, and the
 * sender does not have the answer yet.
 */
export const SIDES = ['before', 'after'] as const;
export type Side = (typeof SIDES)[number];

/** One point in the work of a process. */
export interface Point {
  wire: Wire;
  label: string;
  /** Counts the messages with this label on this wire since the step began, from 1. */
  nth: number;
  side: Side;
}

/** What a proxy does with a message or an answer. */
export type Verdict = 'forward' | 'drop';

/**
 * A proxy calls `before` before it forwards the message, and `after` before it forwards the
 * answer.
 */
export interface Passage {
  before(): Promise<Verdict>;
  /** `answer` is present if the proxy can read answers. */
  after(answer?: Buffer): Promise<Verdict>;
}

/** Counts the messages of one process at a time, and injects a fault at a point. */
export interface FaultInjector {
  pass(process: 'api' | 'worker', wire: Wire, label: string): Passage;
  /** Records every message of a process, in order. */
  record(process: 'api' | 'worker'): void;
  /** At the point, calls `inject` once, and holds the message until the promise resolves. */
  set(process: 'api' | 'worker', point: Point, target: Target, inject: () => Promise<void>): void;
  /** Stops watching. Returns the recorded messages. */
  end(): { passed: { wire: Wire; label: string; nth: number }[]; isInjected: boolean };
}

/** Forwards everything. */
export const FREE: Passage = { before: async () => 'forward', after: async () => 'forward' };

interface Watch {
  process: 'api' | 'worker';
  passed: { wire: Wire; label: string; nth: number }[];
  isInjected: boolean;
  armed?: { point: Point; target: Target; inject: () => Promise<void> };
}

/** Creates an injector that watches no process yet. */
export function createFaultInjector(): FaultInjector {
  let watch: Watch | undefined;
  return {
    pass(process, wire, label) {
      const current = watch;
      if (current?.process !== process) return FREE;
      const nth = current.passed.filter((one) => one.wire === wire && one.label === label).length + 1;
      current.passed.push({ wire, label, nth });
      const at = (side: Side) => async (): Promise<Verdict> => {
        const { armed } = current;
        if (current !== watch || current.isInjected || !armed) return 'forward';
        const { point, target, inject } = armed;
        if (point.wire !== wire || point.label !== label || point.nth !== nth || point.side !== side) return 'forward';
        current.isInjected = true;
        await inject();
        return target === process || target === wire ? 'drop' : 'forward';
      };
      return { before: at('before'), after: at('after') };
    },
    record: (process) => {
      watch = { process, passed: [], isInjected: false };
    },
    set: (process, point, target, inject) => {
      watch = { process, passed: [], isInjected: false, armed: { point, target, inject } };
    },
    end: () => {
      const { passed = [], isInjected = false } = watch ?? {};
      watch = undefined;
      return { passed, isInjected };
    },
  };
}

/** Describes a point in one line, for reports. */
export function describePoint({ wire, label, nth, side }: Point): string {
  return `${side} ${wire}: ${label} #${nth}`;
}

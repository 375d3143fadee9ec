/** The parts that can be killed. */
export const TARGETS = ['api', 'worker', 'temporal', 'postgres'] as const;
export type Target = (typeof TARGETS)[number];

/**
 * The connections of the API and the worker. `effect` is the third party that an action calls or a
 * webhook goes to.
 */
export type Wire = 'postgres' | 'temporal' | 'effect';

/**
 * Before the other side has received a message, or after it has answered and before the answer has
 * arrived.
 */
export const SIDES = ['before', 'after'] as const;
export type Side = (typeof SIDES)[number];

/**
 * One point in the work of a process: the n-th message of this kind, on this wire, since the step
 * began.
 */
export interface Point {
  wire: Wire;
  label: string;
  /** Counted from 1. */
  nth: number;
  side: Side;
}

/** Whether a message or its answer is forwarded. It is not if one of its two ends was killed. */
export type Verdict = 'forward' | 'drop';

/** One message in flight: ask before forwarding it, and before forwarding its answer. */
export interface Passage {
  before(): Promise<Verdict>;
  /** `answer` is the other side's answer, if the wire can read it. */
  after(answer?: Buffer): Promise<Verdict>;
}

/**
 * Counts the messages of one process while it is watched, and injects the fault at the chosen
 * point.
 */
export interface FaultInjector {
  pass(process: 'api' | 'worker', wire: Wire, label: string): Passage;
  /** Starts to watch a process and records every message, in order. */
  record(process: 'api' | 'worker'): void;
  /**
   * Starts to watch a process. At the point, `inject` is called once, and the message is held until
   * it resolves.
   */
  set(process: 'api' | 'worker', point: Point, target: Target, inject: () => Promise<void>): void;
  /** Stops watching. Returns the recorded messages, and whether the fault was injected. */
  end(): { passed: { wire: Wire; label: string; nth: number }[]; isInjected: boolean };
}

/** For a message that nothing watches. */
export const FREE: Passage = { before: async () => 'forward', after: async () => 'forward' };

interface Watch {
  process: 'api' | 'worker';
  passed: { wire: Wire; label: string; nth: number }[];
  isInjected: boolean;
  armed?: { point: Point; target: Target; inject: () => Promise<void> };
}

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

export function describePoint({ wire, label, nth, side }: Point): string {
  return `${side} ${wire}: ${label} #${nth}`;
}

/** What may be killed. */
export const TARGETS = ['api', 'worker', 'temporal', 'postgres'] as const;
export type Target = (typeof TARGETS)[number];

/** What the API and the worker talk with; `effect` is the third party that an action calls or a webhook goes to. */
export type Wire = 'postgres' | 'temporal' | 'effect';

/** Before the other side has seen a message, or after it has answered and before the answer has come back. */
export const SIDES = ['before', 'after'] as const;
export type Side = (typeof SIDES)[number];

/** One place in what a process does: the n-th message of this kind, on this wire, since the step began. */
export interface Point {
  wire: Wire;
  label: string;
  /** From 1. */
  nth: number;
  side: Side;
}

/** Whether a message, or its answer, goes on; it does not where one of the two that it lies between was killed. */
export type Verdict = 'go on' | 'drop';

/** One message on its way: ask before it is sent on, and before its answer is. */
export interface Passage {
  before(): Promise<Verdict>;
  /** `answer` is what the other side said, where the wire knows it. */
  after(answer?: Buffer): Promise<Verdict>;
}

/** Counts what passes on the wires of one process while it is watched, and strikes at the point that was set. */
export interface Trap {
  pass(process: 'api' | 'worker', wire: Wire, label: string): Passage;
  /** Watches a process from now on and writes down every message, in order. */
  record(process: 'api' | 'worker'): void;
  /** Watches a process from now on; at the point, `strike` is called once and the message is held until it resolves. */
  set(process: 'api' | 'worker', point: Point, target: Target, strike: () => Promise<void>): void;
  /** Stops watching; answers what was written down, and whether the trap was sprung. */
  end(): { passed: { wire: Wire; label: string; nth: number }[]; sprung: boolean };
}

/** Of a message that nobody watches. */
export const FREE: Passage = { before: async () => 'go on', after: async () => 'go on' };

interface Watch {
  process: 'api' | 'worker';
  passed: { wire: Wire; label: string; nth: number }[];
  sprung: boolean;
  armed?: { point: Point; target: Target; strike: () => Promise<void> };
}

export function openTrap(): Trap {
  let watch: Watch | undefined;
  return {
    pass(process, wire, label) {
      const current = watch;
      if (current?.process !== process) return FREE;
      const nth = current.passed.filter((one) => one.wire === wire && one.label === label).length + 1;
      current.passed.push({ wire, label, nth });
      const at = (side: Side) => async (): Promise<Verdict> => {
        const { armed } = current;
        if (current !== watch || current.sprung || !armed) return 'go on';
        const { point, target, strike } = armed;
        if (point.wire !== wire || point.label !== label || point.nth !== nth || point.side !== side) return 'go on';
        current.sprung = true;
        await strike();
        return target === process || target === wire ? 'drop' : 'go on';
      };
      return { before: at('before'), after: at('after') };
    },
    record: (process) => {
      watch = { process, passed: [], sprung: false };
    },
    set: (process, point, target, strike) => {
      watch = { process, passed: [], sprung: false, armed: { point, target, strike } };
    },
    end: () => {
      const { passed = [], sprung = false } = watch ?? {};
      watch = undefined;
      return { passed, sprung };
    },
  };
}

export function describePoint({ wire, label, nth, side }: Point): string {
  return `${side} ${wire}: ${label} #${nth}`;
}

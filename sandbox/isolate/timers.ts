import { reduceErrorSafely } from './errors.ts';
import { apply, create, isFiniteNumber, max, min, RealPromise, toNumber, trunc } from './primordials.ts';
import { end, fail, issue } from './turns.ts';

type Callback = (...args: unknown[]) => void;

const DELAY_MAX_MS = 2 ** 31 - 1;
const active: Record<number, true> = create(null);
let timersLeft = 0;
let ids = 0;

export function openTimers(maxTimers: number): void {
  timersLeft = maxTimers;
}

export function setTimeout(callback: Callback, delayMs?: unknown, ...args: unknown[]): number {
  const id = open(callback);
  schedule(id, toDelay(delayMs, 0), () => {
    delete active[id];
    run(callback, args);
  });
  return id;
}

export function setInterval(callback: Callback, delayMs?: unknown, ...args: unknown[]): number {
  const id = open(callback);
  const delay = toDelay(delayMs, 1);
  const tick = () => {
    run(callback, args);
    if (active[id]) schedule(id, delay, tick);
  };
  schedule(id, delay, tick);
  return id;
}

/** Clears a timer. The host's answer is then ignored. */
export function clearTimeout(id?: unknown): void {
  if (typeof id === 'number') delete active[id];
}

export function queueMicrotask(callback: Callback): void {
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
  void RealPromise.resolve().then(() => run(callback, []));
}

function open(callback: unknown): number {
  if (typeof callback !== 'function') throw new TypeError('A timer needs a function');
  active[++ids] = true;
  return ids;
}

function schedule(id: number, delayMs: number, tick: () => void): void {
  if (timersLeft-- <= 0) {
    fail('CODE_TIMER_LIMIT', 'The code started more timers than a run may start');
    return;
  }
  issue(
    (number) => `{"kind":"timer","number":${number},"delayMs":${delayMs}}`,
    () => {
      if (active[id]) tick();
    },
  );
}

function toDelay(delayMs: unknown, least: number): number {
  const number = trunc(toNumber(delayMs));
  return isFiniteNumber(number) ? min(max(number, least), DELAY_MAX_MS) : least;
}

function run(callback: Callback, args: unknown[]): void {
  try {
    apply(callback, undefined, args);
  } catch (error) {
    end({ kind: 'threw', error: reduceErrorSafely(error) });
  }
}

import { defineProperty } from './primordials.ts';
import { setTimeout } from './timers.ts';

type Listener = ((event: AbortEvent) => void) | { handleEvent(event: AbortEvent): void };

interface AbortEvent {
  type: 'abort';
  target: AbortSignal;
}

const MAKE = Symbol('make');

export class AbortSignal {
  aborted = false;
  reason: unknown = undefined;
  onabort: ((event: AbortEvent) => void) | null = null;
  #listeners: { listener: Listener; once: boolean }[] = [];

  constructor(key?: unknown) {
    if (key !== MAKE) throw new TypeError('Use new AbortController().signal, AbortSignal.timeout(ms) or AbortSignal.any([…])');
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(MAKE);
    abort(signal, reason);
    return signal;
  }

  static timeout(delayMs: number): AbortSignal {
    const signal = new AbortSignal(MAKE);
    setTimeout(() => abort(signal, named('TimeoutError', 'The operation timed out')), delayMs);
    return signal;
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const combined = new AbortSignal(MAKE);
    for (const signal of [...signals]) {
      if (signal.aborted) abort(combined, signal.reason);
      else signal.addEventListener('abort', () => abort(combined, signal.reason));
    }
    return combined;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(type: string, listener: Listener | null, options?: { once?: boolean } | boolean): void {
    if (type !== 'abort' || listener === null || this.#listeners.some((entry) => entry.listener === listener)) return;
    this.#listeners.push({ listener, once: typeof options === 'object' && Boolean(options.once) });
  }

  removeEventListener(type: string, listener: Listener | null): void {
    if (type === 'abort') this.#listeners = this.#listeners.filter((entry) => entry.listener !== listener);
  }

  dispatchEvent(event: AbortEvent): boolean {
    const listeners = this.#listeners;
    this.#listeners = listeners.filter((entry) => !entry.once);
    this.onabort?.(event);
    for (const { listener } of listeners) typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event);
    return true;
  }
}

export class AbortController {
  readonly signal = new AbortSignal(MAKE);

  abort(reason?: unknown): void {
    abort(this.signal, reason);
  }
}

function abort(signal: AbortSignal, reason: unknown): void {
  if (signal.aborted) return;
  signal.aborted = true;
  signal.reason = reason === undefined ? named('AbortError', 'The operation was aborted') : reason;
  signal.dispatchEvent({ type: 'abort', target: signal });
}

function named(name: string, message: string): Error {
  return defineProperty(new Error(message), 'name', { value: name, writable: true, configurable: true });
}

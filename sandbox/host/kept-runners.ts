import type { CodePrincipal } from './pass.ts';
import { type PoolSize, PoolTarget } from './pool-target.ts';
import type { PrincipalRunner } from './principal-runner.ts';

interface KeepLimits extends Partial<PoolSize> {
  /** Maximum number of idle runners of all principals. 0: no runner is kept. */
  most: number;
  /** The limit without load. Default: `most`. */
  least?: number;
  idleMs?: number;
}

/** A kept runner. */
export interface KeptRunner {
  pid: number;
  passes: number;
  principal: CodePrincipal;
}

interface Entry {
  runner: PrincipalRunner;
  /** False if the runner may not serve another pass. */
  ready: Promise<boolean>;
  isReady: boolean;
  idle: NodeJS.Timeout;
}

const IDLE_MS = 5 * 60_000;

/** Keeps runner processes between two passes (executions of code) of their principal. */
export class KeptRunners {
  readonly #target: PoolTarget;
  readonly #idleMs: number;
  #isClosed: boolean;
  /** The most recently used runner comes last. */
  readonly #entries: Entry[] = [];

  constructor({ most, least = most, calmMs, idleMs = IDLE_MS }: KeepLimits) {
    this.#target = new PoolTarget({ least, most, calmMs }, () => this.#endSurplus());
    this.#idleMs = idleMs;
    this.#isClosed = most === 0;
  }

  /** Takes a runner that served this principal before. Undefined if none is fit. */
  async take(principal: CodePrincipal, memoryMb: number): Promise<PrincipalRunner | undefined> {
    for (;;) {
      const fitting = this.#entries.filter(({ runner }) => runner.serves(principal, memoryMb));
      const entry = fitting.findLast(({ isReady }) => isReady) ?? fitting[0];
      if (!entry) return undefined;
      this.#remove(entry);
      if ((await entry.ready) && entry.runner.isFit()) return entry.runner;
      entry.runner.process.kill();
    }
  }

  /** Keeps a runner with a new isolate, or ends it if it may not serve another pass. */
  keep(runner: PrincipalRunner): void {
    if (this.#isClosed) {
      runner.process.kill();
      return;
    }
    const ready = runner.renew(() => this.#end(entry));
    const idle = setTimeout(() => this.#end(entry), this.#idleMs).unref();
    const entry: Entry = { runner, ready, idle, isReady: false };
    this.#entries.push(entry);
    if (this.#entries.length > this.#target.size) this.#target.grow();
    this.#endSurplus();
    void ready.then((isReady) => {
      entry.isReady = isReady;
      if (!isReady) this.#end(entry);
    });
  }

  /** The most recently used runner comes last. */
  list(): KeptRunner[] {
    return this.#entries.map(({ runner: { process, passes, principal } }) => ({ pid: process.pid, passes, principal }));
  }

  /** Ends the kept runners, and all that are kept later. */
  close(): void {
    this.#isClosed = true;
    this.#target.close();
    for (const entry of [...this.#entries]) this.#end(entry);
  }

  #endSurplus(): void {
    while (this.#entries.length > this.#target.size) this.#end(this.#entries[0]!);
  }

  #end(entry: Entry): void {
    this.#remove(entry);
    entry.runner.process.kill();
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.idle);
    const index = this.#entries.indexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }
}

import type { CodePrincipal } from './pass.ts';
import { type PoolSize, PoolTarget } from './pool-target.ts';
import type { PrincipalRunner } from './principal-runner.ts';

/** The least recently used runner ends first. */
interface KeepLimits extends Partial<PoolSize> {
  /** Idle runners of all principals together. 0: none. */
  most: number;
  /** The number to which `most` shrinks while fewer come back. Default: `most`. */
  least?: number;
  /** An idle runner ends after this time. Default: five minutes. */
  idleMs?: number;
}

/** `passes`: those that it has served. */
export interface KeptRunner {
  pid: number;
  passes: number;
  principal: CodePrincipal;
}

interface Entry {
  runner: PrincipalRunner;
  /** False if it may not serve another pass; it is then ended. */
  ready: Promise<boolean>;
  isReady: boolean;
  idle: NodeJS.Timeout;
}

const IDLE_MS = 5 * 60_000;

/** Keeps runners between two passes of their principal. */
export class KeptRunners {
  readonly #target: PoolTarget;
  readonly #idleMs: number;
  #isClosed: boolean;
  /** The most recently used one last. */
  readonly #entries: Entry[] = [];

  constructor({ most, least = most, calmMs, idleMs = IDLE_MS }: KeepLimits) {
    this.#target = new PoolTarget({ least, most, calmMs }, () => this.#endSurplus());
    this.#idleMs = idleMs;
    this.#isClosed = most === 0;
  }

  /** A runner that served this principal before, with a new isolate; undefined if there is none. */
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

  /** Keeps a runner after a pass that ended by itself. The runner gets a new isolate, or ends. */
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

  /** The kept runners, the most recently used one last. */
  list(): KeptRunner[] {
    return this.#entries.map(({ runner: { process, passes, principal } }) => ({ pid: process.pid, passes, principal }));
  }

  /** Ends the kept runners. A runner that is returned later ends at once. */
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

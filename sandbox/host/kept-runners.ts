import type { CodePrincipal } from './pass.ts';
import type { PrincipalRunner } from './principal-runner.ts';

interface KeepLimits {
  /** Idle runners of all principals together. The least recently used one ends first. 0: none. */
  most: number;
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
  readonly #limits: Required<KeepLimits>;
  /** The most recently used one last. */
  readonly #entries: Entry[] = [];

  constructor(limits: KeepLimits) {
    this.#limits = { idleMs: IDLE_MS, ...limits };
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
    if (this.#limits.most === 0) {
      runner.process.kill();
      return;
    }
    const ready = runner.renew(() => this.#end(entry));
    const idle = setTimeout(() => this.#end(entry), this.#limits.idleMs).unref();
    const entry: Entry = { runner, ready, idle, isReady: false };
    this.#entries.push(entry);
    while (this.#entries.length > this.#limits.most) this.#end(this.#entries[0]!);
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
    this.#limits.most = 0;
    for (const entry of [...this.#entries]) this.#end(entry);
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

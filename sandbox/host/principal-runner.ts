import { type Runner, untilReady } from './launch-runner.ts';
import type { CodePrincipal } from './pass.ts';
import type { ProcessUse } from './process-use.ts';
import { LEFT_BEHIND_MAX_MB } from './runner-memory.ts';

const MAX_PASSES_PER_PROCESS = 50;
/**
 * Maximum processor time of all earlier passes. `limitScript` adds it to the limit for the longest
 * run.
 */
const CPU_MAX_MS = 10_000;
/** Enough for one garbage collection. */
const IDLE_CPU_MAX_MS = 100;

/** A runner for the passes (executions of code) of one principal, one after another. */
export class PrincipalRunner {
  readonly process: Runner;
  readonly principal: CodePrincipal;
  /** Passes that began in the process. */
  passes = 0;
  readonly #atStart: ProcessUse | undefined;
  #idleSince: ProcessUse | undefined;
  #isUnfit = false;

  /** `process` must be new. */
  constructor(process: Runner, principal: CodePrincipal) {
    this.process = process;
    this.principal = principal;
    this.#atStart = process.use();
  }

  serves({ orgId, workspaceId, endUserId }: CodePrincipal, memoryMb: number): boolean {
    const own = this.principal;
    const isSame = own.orgId === orgId && own.workspaceId === workspaceId && own.endUserId === endUserId;
    return isSame && this.process.memoryMb === memoryMb;
  }

  /**
   * Replaces the isolate. Returns false if the process may serve no other pass.
   * Calls `onUnfit` if the process sends anything or exits before the next pass.
   */
  async renew(onUnfit: () => void): Promise<boolean> {
    if (this.passes >= MAX_PASSES_PER_PROCESS || !this.#atStart) return false;
    this.#isUnfit = false;
    const spoil = () => {
      this.#isUnfit = true;
      onUnfit();
    };
    this.process.send({ kind: 'renew' });
    const isReady = await untilReady(this.process, spoil).then(
      () => true,
      () => false,
    );
    if (isReady) this.process.onExit(spoil);
    this.#idleSince = this.process.use();
    return isReady && this.isFit() && hasRecovered(this.#atStart, this.#idleSince);
  }

  /** Whether the process still waits and has done almost nothing since `renew`. */
  isFit(): boolean {
    if (this.#isUnfit || this.process.isGone() || !this.process.isSound()) return false;
    const now = this.process.use();
    return now !== undefined && this.#idleSince !== undefined && now.cpuMs - this.#idleSince.cpuMs <= IDLE_CPU_MAX_MS;
  }
}

function hasRecovered(atStart: ProcessUse, now: ProcessUse | undefined): boolean {
  if (!now) return false;
  const leftMb = Math.max(now.residentMb - atStart.residentMb, now.dataMb - atStart.dataMb);
  return leftMb <= LEFT_BEHIND_MAX_MB && now.cpuMs <= CPU_MAX_MS;
}

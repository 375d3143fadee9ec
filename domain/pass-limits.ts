const MB_A_PASS_BESIDE_ITS_HEAP = 256;
/** Share of the machine's memory for passes. */
const SHARE_OF_MEMORY = 0.5;
/** Most passes wait for input or output most of the time; computing ones share the cores. */
const PASSES_A_CORE = 8;
/** Upper limit of concurrent passes in one worker that is derived from the machine. */
const MAX_CONCURRENT_PASSES = 64;

export interface Machine {
  cores: number;
  memoryMb: number;
}

interface PassSettings {
  /** Heap limit of a run. */
  runMemoryMb: number;
  /** Set by the operator; undefined: derived from the machine. */
  maxPasses: number | undefined;
  /** Concurrent runs per organization; undefined: no quota. */
  quota: number | undefined;
}

/**
 * Memory to reserve for one runner process, in MB. It is more than the kernel lets the process use
 * (`sandbox/host/runner-memory.ts`).
 */
export function memoryOfRunner(runMemoryMb: number): number {
  return 2 * runMemoryMb + MB_A_PASS_BESIDE_ITS_HEAP;
}

/**
 * Concurrency limits of passes in one worker, in total and per organization: as many as half of the
 * memory holds at their limit, and at most eight per core.
 */
export function passLimits({ cores, memoryMb }: Machine, { runMemoryMb, maxPasses, quota }: PassSettings) {
  const held = Math.floor((memoryMb * SHARE_OF_MEMORY) / memoryOfRunner(runMemoryMb));
  const maxConcurrent = maxPasses ?? Math.max(2, Math.min(held, cores * PASSES_A_CORE, MAX_CONCURRENT_PASSES));
  const reserved = Math.floor(maxConcurrent / 4) || Math.min(1, maxConcurrent - 1);
  return { maxConcurrent, reserved, maxPerTenant: Math.max(1, Math.min(maxConcurrent - reserved, quota ?? maxConcurrent)) };
}

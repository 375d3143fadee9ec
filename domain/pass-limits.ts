/** A pass is one execution of a run's code. */
const MB_A_PASS_BESIDE_ITS_HEAP = 256;
const SHARE_OF_MEMORY = 0.5;
/** Most passes wait for input or output, so several can share a core. */
const PASSES_A_CORE = 8;
const MAX_CONCURRENT_PASSES = 64;

/** The resources of the machine that runs a worker. */
export interface Machine {
  cores: number;
  memoryMb: number;
}

interface PassSettings {
  runMemoryMb: number;
  /** Undefined: derived from the machine. */
  maxPasses: number | undefined;
  /** Concurrent runs per organization. Undefined: no quota. */
  quota: number | undefined;
}

/**
 * Returns the memory to reserve for one runner process, in MB. The kernel's limit for the process
 * is lower (`sandbox/host/runner-memory.ts`).
 */
export function memoryOfRunner(runMemoryMb: number): number {
  return 2 * runMemoryMb + MB_A_PASS_BESIDE_ITS_HEAP;
}

/**
 * Returns the limits of concurrent passes in one worker. `reserved` places are for organizations
 * that have no running pass.
 */
export function passLimits({ cores, memoryMb }: Machine, { runMemoryMb, maxPasses, quota }: PassSettings) {
  const held = Math.floor((memoryMb * SHARE_OF_MEMORY) / memoryOfRunner(runMemoryMb));
  const maxConcurrent = maxPasses ?? Math.max(2, Math.min(held, cores * PASSES_A_CORE, MAX_CONCURRENT_PASSES));
  const reserved = Math.floor(maxConcurrent / 4) || Math.min(1, maxConcurrent - 1);
  return { maxConcurrent, reserved, maxPerTenant: Math.max(1, Math.min(maxConcurrent - reserved, quota ?? maxConcurrent)) };
}

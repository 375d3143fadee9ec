/**
 * Memory of a pass (one execution of a run's code) beyond twice the heap limit of the run, in MB.
 */
const MB_A_PASS_BESIDE_ITS_HEAP = 256;
/** Share of the machine's memory that passes may use. */
const SHARE_OF_MEMORY = 0.5;
/**
 * Maximum number of passes per core. Most passes wait for input or output, so several passes can
 * share a core.
 */
const PASSES_A_CORE = 8;
/** Maximum number of concurrent passes in one worker, if the limit is derived from the machine. */
const MAX_CONCURRENT_PASSES = 64;

/** The resources of the machine that runs a worker. */
export interface Machine {
  cores: number;
  memoryMb: number;
}

interface PassSettings {
  /** Heap limit of a run, in MB. */
  runMemoryMb: number;
  /** The operator's limit. If undefined, the limit is derived from the machine. */
  maxPasses: number | undefined;
  /** Concurrent runs per organization. If undefined, there is no quota. */
  quota: number | undefined;
}

/**
 * Returns the memory to reserve for one runner process, in MB. It is more than the kernel lets the
 * process use (`sandbox/host/runner-memory.ts`).
 */
export function memoryOfRunner(runMemoryMb: number): number {
  return 2 * runMemoryMb + MB_A_PASS_BESIDE_ITS_HEAP;
}

/**
 * Returns the limits of concurrent passes in one worker, in total and per organization. If the
 * operator sets no limit, the total is the smallest of these numbers, but at least two:
 * - the number of runners that half of the machine's memory can hold
 * - eight per core
 * - 64
 * `reserved` places are for organizations that have no running pass.
 */
export function passLimits({ cores, memoryMb }: Machine, { runMemoryMb, maxPasses, quota }: PassSettings) {
  const held = Math.floor((memoryMb * SHARE_OF_MEMORY) / memoryOfRunner(runMemoryMb));
  const maxConcurrent = maxPasses ?? Math.max(2, Math.min(held, cores * PASSES_A_CORE, MAX_CONCURRENT_PASSES));
  const reserved = Math.floor(maxConcurrent / 4) || Math.min(1, maxConcurrent - 1);
  return { maxConcurrent, reserved, maxPerTenant: Math.max(1, Math.min(maxConcurrent - reserved, quota ?? maxConcurrent)) };
}

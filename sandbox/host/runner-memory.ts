/**
 * How much more than `memoryMb` the resident memory of a runner may grow. Covers uncollected
 * garbage, frames in flight, and pages of the engine.
 */
const SLACK_MB = 24;

/**
 * Limit in MB of the resident memory, and of the data segment, that code which ran earlier in a
 * runner may leave behind. isolated-vm keeps threads of ended isolates: at most one more than there
 * are cores. Each thread has a stack of 2 MB.
 */
export const LEFT_BEHIND_MAX_MB = 16;

/**
 * Size in MB of a runner's data segment, without the data of its code. It includes thread stacks,
 * heaps, and memory that is counted but not resident. Measured at 49 MB with Node 24; a test checks
 * the value. Memory that earlier code left behind counts as data of the code.
 */
export const RUNNER_DATA_MB = 50;

/**
 * The limits that a runner enforces on itself, in megabytes of resident memory beyond its memory
 * after start-up.
 */
export function growthLimits(memoryMb: number): { nearlyFullMb: number; growthMaxMb: number } {
  return { nearlyFullMb: Math.max(memoryMb - 64, memoryMb / 2), growthMaxMb: memoryMb + SLACK_MB };
}

/**
 * The kernel's limit on the data segment of a runner (RLIMIT_DATA), in megabytes. It stops a native
 * call that allocates much memory between two checks by the runner.
 */
export function dataLimitMb(memoryMb: number): number {
  return memoryMb + SLACK_MB + RUNNER_DATA_MB;
}

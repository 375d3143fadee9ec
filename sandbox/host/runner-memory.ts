/** Uncollected garbage, frames in flight, and pages of the engine. */
const SLACK_MB = 24;

/**
 * Limit in MB of the memory that earlier code may leave behind in a runner. isolated-vm keeps
 * threads of ended isolates, each with a stack of 2 MB.
 */
export const LEFT_BEHIND_MAX_MB = 16;

/**
 * Size in MB of a runner's data segment, without the data of its code. Measured at 49 MB with Node
 * 24.
 */
export const RUNNER_DATA_MB = 50;

/** The limits that a runner enforces on itself, in MB of resident memory beyond its start-up. */
export function growthLimits(memoryMb: number): { nearlyFullMb: number; growthMaxMb: number } {
  return { nearlyFullMb: Math.max(memoryMb - 64, memoryMb / 2), growthMaxMb: memoryMb + SLACK_MB };
}

/**
 * The kernel's limit on a runner's data segment (RLIMIT_DATA), in MB. It stops a native call that
 * allocates much memory between two checks.
 */
export function dataLimitMb(memoryMb: number): number {
  return memoryMb + SLACK_MB + RUNNER_DATA_MB;
}

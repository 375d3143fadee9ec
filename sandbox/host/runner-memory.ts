/**
 * How far the real memory of a runner may grow beyond `memoryMb`: garbage not yet collected, frames
 * in flight, pages of the engine.
 */
const SLACK_MB = 24;

/**
 * The data segment of a new runner, unused thread stacks and heaps included, plus what the kernel
 * counts above resident memory while code runs. Measured at 79 MB with Node 24; a test checks it.
 */
export const RUNNER_DATA_MB = 96;

/**
 * The limits that a runner enforces on itself, in megabytes of resident memory above its amount at
 * start-up.
 */
export function growthLimits(memoryMb: number): { nearlyFullMb: number; growthMaxMb: number } {
  return { nearlyFullMb: Math.max(memoryMb - 64, memoryMb / 2), growthMaxMb: memoryMb + SLACK_MB };
}

/**
 * The kernel's limit on the data segment of a runner (RLIMIT_DATA), in megabytes. It stops a native
 * call that allocates between two checks of the runner's own.
 */
export function dataLimitMb(memoryMb: number): number {
  return memoryMb + SLACK_MB + RUNNER_DATA_MB;
}

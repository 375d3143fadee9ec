/**
 * How far the real memory of a runner may grow beyond `memoryMb`: garbage not yet collected, frames
 * in flight, pages of the engine.
 */
const SLACK_MB = 24;

/**
 * Memory that earlier passes may leave behind in a runner, resident or as data segment. Each
 * isolate leaves a thread with a stack of 2 MB, up to one more than there are cores.
 */
export const LEFT_BEHIND_MAX_MB = 16;

/**
 * The data segment of a runner without the data of its code: unused thread stacks and heaps, plus
 * memory that the kernel counts above resident memory while code runs. Measured at 49 MB with Node
 * 24; a test checks it. Memory that earlier passes left is not added: it counts for the code, so
 * that no call of a new runner can use it.
 */
export const RUNNER_DATA_MB = 50;

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

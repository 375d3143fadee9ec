const MB_A_PASS_BESIDE_ITS_HEAP = 256;
/** The other half is for everything else on the machine. */
const SHARE_OF_MEMORY = 0.5;
/** Most passes wait for somebody most of the time; those that compute share the cores. */
const PASSES_A_CORE = 8;
const PASSES_MAX = 64;

export interface Machine {
  cores: number;
  memoryMb: number;
}

interface PassSettings {
  /** Of a run's own heap. */
  runMemoryMb: number;
  /** Said by the operator; undefined: as many as the machine bears. */
  atOnce: number | undefined;
  /** Runs that an organization may have at once; undefined: no quota. */
  quota: number | undefined;
}

/** What the process of one run may take at most, in megabytes: the kernel's limit on its data. */
export function memoryOfRunner(runMemoryMb: number): number {
  return 2 * runMemoryMb + MB_A_PASS_BESIDE_ITS_HEAP;
}

/** How many passes of code runs one worker has at a time, and of one organization: what half of the memory holds if each takes all that it may, and eight a core. */
export function passTurns({ cores, memoryMb }: Machine, { runMemoryMb, atOnce, quota }: PassSettings) {
  const held = Math.floor((memoryMb * SHARE_OF_MEMORY) / memoryOfRunner(runMemoryMb));
  const places = atOnce ?? Math.max(2, Math.min(held, cores * PASSES_A_CORE, PASSES_MAX));
  const keptFree = Math.floor(places / 4) || Math.min(1, places - 1);
  return { places, keptFree, placesOfOne: Math.max(1, Math.min(places - keptFree, quota ?? places)) };
}

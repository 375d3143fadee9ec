import { GATES } from './gates.ts';
import { PARALLEL } from './parallel.ts';
import type { Program } from './program.ts';
import { SEQUENTIAL } from './sequential.ts';

/** The programs that the fault tests run. */
export const PROGRAMS: readonly Program[] = [...SEQUENTIAL, ...PARALLEL, ...GATES];

import type { HostileProgram } from '../hostile-program.ts';
import { ESCAPES } from './escapes.ts';
import { FLOODS } from './floods.ts';
import { FORGERY } from './forgery.ts';
import { GETTERS_AND_PROXIES } from './getters-and-proxies.ts';
import { MEMORY } from './memory.ts';
import { MISSING_PARTS } from './missing-parts.ts';
import { PAUSES } from './pauses.ts';
import { PROCESSOR_TIME } from './processor-time.ts';
import { PROMISES } from './promises.ts';
import { PROTOTYPES } from './prototypes.ts';
import { SOURCE_TEXT } from './source-text.ts';
import { STACKS } from './stacks.ts';

/** Every hostile program, by target. */
export const HOSTILE_PROGRAMS: Record<string, HostileProgram[]> = {
  constructors: ESCAPES,
  'prototypes and built-ins': PROTOTYPES,
  'getters and proxies': GETTERS_AND_PROXIES,
  promises: PROMISES,
  'stack traces': STACKS,
  'source text': SOURCE_TEXT,
  'parts of a host': MISSING_PARTS,
  forgery: FORGERY,
  'the pause at a gate': PAUSES,
  floods: FLOODS,
  memory: MEMORY,
  'processor time': PROCESSOR_TIME,
};

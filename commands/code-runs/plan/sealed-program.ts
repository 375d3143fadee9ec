import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ActiveRun } from '../../../domain/code-run.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import { decodePayload, encodePayload } from '../../../store/payload.ts';
import type { Gateway } from '../../gateway.ts';

type ProgramOwner = Pick<ActiveRun, 'id' | 'codeHash'>;

const MAC_BYTES = 32;

/**
 * Seals a parsed program for storage with its run. An approval permits the code with a certain
 * hash. The seal proves that the program was parsed from the code with this hash.
 */
export function sealProgram({ tokens }: Pick<Gateway, 'tokens'>, run: ProgramOwner, program: RunnableCode): Buffer {
  const payload = encodePayload(program);
  return Buffer.concat([mac(tokens, run, payload), payload]);
}

/**
 * Returns a sealed program. Returns undefined if there is none, or if the program was sealed for
 * another run or other code, or under another key.
 */
export function openProgram({ tokens }: Pick<Gateway, 'tokens'>, run: ProgramOwner, sealed: Buffer | null): RunnableCode | undefined {
  if (!sealed || sealed.length <= MAC_BYTES) return undefined;
  const payload = sealed.subarray(MAC_BYTES);
  if (!timingSafeEqual(sealed.subarray(0, MAC_BYTES), mac(tokens, run, payload))) return undefined;
  return decodePayload<RunnableCode>(payload);
}

function mac(tokens: Gateway['tokens'], { id, codeHash }: ProgramOwner, payload: Buffer): Buffer {
  return createHmac('sha256', tokens.key('program of a code run')).update(`${id}\0${codeHash}\0`).update(payload).digest();
}

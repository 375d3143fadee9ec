import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ActiveRun } from '../../../domain/code-run.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import { decodePayload, encodePayload } from '../../../store/payload.ts';
import type { Gateway } from '../../gateway.ts';

type ProgramOwner = Pick<ActiveRun, 'id' | 'codeHash'>;

const MAC_BYTES = 32;

/**
 * Seals a parsed program for storage. The seal binds the program to its run and to the hash of the
 * code.
 */
export function sealProgram({ tokens }: Pick<Gateway, 'tokens'>, run: ProgramOwner, program: RunnableCode): Buffer {
  const payload = encodePayload(program);
  return Buffer.concat([mac(tokens, run, payload), payload]);
}

/**
 * The sealed program; undefined if there is none, or if the seal is of another run, code or key.
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

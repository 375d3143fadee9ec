import type { Context } from 'koa';
import { readJson } from './read-json.ts';

/** Longer than it takes to read a body that came along with its headers. */
export const BODY_MOMENT_MS = 50;

/** A request whose body is there, and who sends it. */
export interface SentBody<Who> {
  who: Who;
  body: unknown;
}

/**
 * Reads the JSON body of a request that `who` was authenticated for. One that is longer in coming has its sender authenticated again: what holds is
 * what holds now, not when the headers came, of a key that was revoked since as of policies. Throws what `readJson` and `authenticate` throw.
 */
export async function readBodyOf<Who>(ctx: Context, who: Who, authenticate: () => Promise<Who>): Promise<SentBody<Who>> {
  const startedAt = performance.now();
  const body = await readJson(ctx);
  const isLate = performance.now() - startedAt > BODY_MOMENT_MS;
  return { body, who: isLate ? await authenticate() : who };
}

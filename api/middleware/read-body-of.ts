import type { Context } from 'koa';
import { type JsonBody, type LargeField, readJson } from './read-json.ts';

/** A body that takes longer than this, in ms, counts as late. */
export const BODY_MOMENT_MS = 50;

/** The body of a request and its sender. */
export interface SentBody<Who> {
  who: Who;
  body: JsonBody;
}

/**
 * Reads the JSON body of a request from `who`. If the body arrives late, authenticates the sender
 * again, because the key could have been revoked after the headers arrived.
 */
export async function readBodyOf<Who>(
  ctx: Context,
  who: Who,
  authenticate: () => Promise<Who>,
  large?: LargeField,
): Promise<SentBody<Who>> {
  const startedAt = performance.now();
  const body = await readJson(ctx, large);
  const isLate = performance.now() - startedAt > BODY_MOMENT_MS;
  return { body, who: isLate ? await authenticate() : who };
}

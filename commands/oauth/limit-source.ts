import { SOURCE_LIMITS } from '../../domain/oauth/oauth.ts';
import { type CountedPurpose, countRequest } from '../../store/request-counts.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Counts a request of a source, over all processes (contract decisions 8, Limits per source
 * address). `source` is an IP address or an e-mail address. Returns the seconds to wait if the
 * limit is exceeded.
 */
export async function limitSource({ db }: Pick<Gateway, 'db'>, purpose: CountedPurpose, source: string): Promise<number | undefined> {
  const { requests, seconds } = SOURCE_LIMITS[purpose];
  const { total, secondsLeft } = await countRequest(db, purpose, source, seconds);
  return total > requests ? secondsLeft : undefined;
}

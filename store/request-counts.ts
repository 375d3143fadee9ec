import { type Db, runPrepared } from '../infra/database.ts';

/** The kinds of requests that are counted per source. */
export type CountedPurpose =
  | 'client-registration'
  | 'client-metadata'
  | 'device-code'
  | 'openid-sign-in'
  | 'member-source'
  | 'member-email';

/** The requests of a source in its current window. */
export interface RequestCount {
  total: number;
  /** Seconds until the window ends. */
  secondsLeft: number;
}

const COUNT = {
  name: 'count-request',
  text: `insert into request_counts as c (purpose, source, total, ends_at) values ($1, $2, 1, now() + make_interval(secs => $3))
         on conflict (purpose, source) do update set
           total = case when c.ends_at <= now() then 1 else c.total + 1 end,
           ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
         returning total, greatest(1, ceil(extract(epoch from ends_at - now())))::int as "secondsLeft"`,
};

/**
 * Counts one request of a source and returns the new count. A window starts with the first request
 * after the end of the previous window.
 */
export async function countRequest(db: Db, purpose: CountedPurpose, source: string, windowSeconds: number): Promise<RequestCount> {
  const [row] = await runPrepared<RequestCount>(db, COUNT, [purpose, source, windowSeconds]);
  return row!;
}

/** Subtracts one request. */
export async function uncountRequest(db: Db, purpose: CountedPurpose, source: string): Promise<void> {
  await db('request_counts').where({ purpose, source }).where('total', '>', 0).decrement('total', 1);
}

/** Deletes the count of a source. */
export async function deleteCount(db: Db, purpose: CountedPurpose, source: string): Promise<void> {
  await db('request_counts').where({ purpose, source }).delete();
}

export async function deleteEndedCounts(db: Db): Promise<void> {
  await db('request_counts').where('ends_at', '<=', db.fn.now()).delete();
}

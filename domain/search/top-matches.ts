/** Indexes of documents. `total` is the number of all matches. */
export interface Matches {
  ids: number[];
  total: number;
}

/**
 * Returns the documents with the highest scores; equal scores in document order. The score 0 is no
 * match.
 */
export function topMatches(scores: Float64Array, limit: number, accepts: (id: number) => boolean): Matches {
  const ids: number[] = [];
  let total = 0;
  for (const [id, score] of scores.entries()) {
    if (score === 0 || !accepts(id)) continue;
    total += 1;
    if (ids.length === limit && score <= scores[ids.at(-1)!]!) continue;
    const before = ids.findIndex((other) => scores[other]! < score);
    ids.splice(before === -1 ? ids.length : before, 0, id);
    if (ids.length > limit) ids.pop();
  }
  return { ids, total };
}

/** Returns the first documents that `accepts` accepts, in document order. */
export function firstMatches(size: number, limit: number, accepts: (id: number) => boolean): Matches {
  const all = Array.from({ length: size }, (_, id) => id).filter(accepts);
  return { ids: all.slice(0, limit), total: all.length };
}

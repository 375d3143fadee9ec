/** Places of documents, cut to a limit, and how many there are without it. */
export interface Places {
  places: number[];
  total: number;
}

/** The places with the highest scores, those that score equally in their order; 0 fits not. Keeps no more than `limit` in order while it looks, since nearly all may fit. */
export function bestPlaces(scores: Float64Array, limit: number, accepts: (place: number) => boolean): Places {
  const places: number[] = [];
  let total = 0;
  for (const [place, score] of scores.entries()) {
    if (score === 0 || !accepts(place)) continue;
    total += 1;
    if (places.length === limit && score <= scores[places.at(-1)!]!) continue;
    const before = places.findIndex((other) => scores[other]! < score);
    places.splice(before === -1 ? places.length : before, 0, place);
    if (places.length > limit) places.pop();
  }
  return { places, total };
}

/** All places in their order. */
export function firstPlaces(size: number, limit: number, accepts: (place: number) => boolean): Places {
  const all = Array.from({ length: size }, (_, place) => place).filter(accepts);
  return { places: all.slice(0, limit), total: all.length };
}

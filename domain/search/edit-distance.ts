/**
 * Returns the optimal string alignment distance of two words, or `limit` + 1 if it exceeds `limit`.
 */
export function editDistance(left: string, right: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let [before, previous] = [[] as number[], Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      const cheapest = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + change);
      const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(isSwap ? Math.min(cheapest, before[column - 2]! + 1) : cheapest);
    }
    if (Math.min(...current) > limit) return limit + 1;
    [before, previous] = [previous, current];
  }
  return Math.min(previous[right.length]!, limit + 1);
}

import { min } from './primordials.ts';

/** The name closest to the one that was written, if it is close enough to be what was meant. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  const wanted = plain(written);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = distanceBetween(wanted, plain(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best ?? names.find((name) => plain(name).includes(wanted) && wanted.length > 1);
}

function plain(name: string): string {
  return name.slice(0, 64).toLowerCase().replace(/[-_]/g, '');
}

/** Levenshtein distance. */
function distanceBetween(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + change));
    }
    previous = current;
  }
  return previous[right.length]!;
}

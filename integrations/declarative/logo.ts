const COLOURS = ['#2f6fde', '#0f8a6d', '#b4472e', '#7a4fd0', '#a6620b', '#c23b72', '#3c6a1f', '#1d7f9e', '#5b5f97', '#8c3f3f'];

/** Makes a data URL with initials, for an integration without a logo. */
export function markOf(name: string, displayName: string): string {
  const words = displayName.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '?')].slice(0, 2);
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.codePointAt(0)!) % 9973, 7);
  const text = letters.join('').replace(/[^\p{L}\p{N}]/gu, '');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${COLOURS[sum % COLOURS.length]}"/>` +
    `<text x="32" y="42" font-family="sans-serif" font-size="28" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

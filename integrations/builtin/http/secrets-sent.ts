/**
 * The possible secrets of a request: the values of its query, decoded and as written, and those of
 * its headers. Also parts of the header values, because services may echo a part alone.
 */
export function secretsSent(address: string, headers: Readonly<Record<string, string>> = {}): string[] {
  const url = URL.parse(address);
  if (!url) return Object.values(headers).flatMap(partsOf);
  const written = url.search.slice(1).split('&');
  return [
    ...Object.values(headers).flatMap(partsOf),
    ...url.searchParams.values(),
    ...written.map((pair) => pair.slice(pair.indexOf('=') + 1)),
  ];
}

/** A value, the part after its scheme (`Bearer …`), and the values of cookies. */
function partsOf(value: string): string[] {
  const cookies = value.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [value, value.slice(value.lastIndexOf(' ') + 1), ...cookies];
}

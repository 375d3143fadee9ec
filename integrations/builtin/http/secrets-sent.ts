/**
 * Returns possible secrets of a request: values of its query and headers. Services may echo a part
 * alone, so parts of header values are included.
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

/** The part after the scheme (`Bearer …`), and the values of cookies. */
function partsOf(value: string): string[] {
  const cookies = value.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [value, value.slice(value.lastIndexOf(' ') + 1), ...cookies];
}

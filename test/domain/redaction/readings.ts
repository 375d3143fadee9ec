/** Returns the texts of a preview and their decoded forms, in lower case. */
export function readings(preview: unknown): string[] {
  const found = new Set<string>();
  let open = [JSON.stringify(preview), ...textsOf(preview)];
  for (let round = 0; round < 5 && open.length > 0; round += 1) {
    const next = open.filter((text) => !found.has(text));
    for (const text of next) found.add(text);
    open = next.flatMap(decodingsOf).filter((text) => text.length > 3);
  }
  return [...found].map((text) => text.toLowerCase());
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [String(value)];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}

function decodingsOf(text: string): string[] {
  const runs = [...text.matchAll(/[0-9A-Za-z+/_-]{8,}/g)].map(([run]) => run);
  const joined = text.replace(/[\r\n]+/g, '');
  return [
    text.normalize('NFKC').replace(/\p{Cf}|\\u\{[0-9a-f]+\}/gu, ''),
    text.replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660)),
    text.replace(/%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#(\d+);/gi, (_, a, b, c, d) =>
      String.fromCharCode(d ? Number(d) : Number.parseInt(a ?? b ?? c, 16)),
    ),
    ...[joined, ...runs, ...runs.flatMap((run) => run.split(/[/_-]/))].map((run) =>
      Buffer.from(run, 'base64').toString('latin1').replaceAll('\0', ''),
    ),
    ...runs.filter((run) => /^[0-9a-f]+$/i.test(run)).map((run) => Buffer.from(run, 'hex').toString('latin1')),
  ].filter((read) => read !== text);
}

import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './examples.ts';
import type { Arrived } from './third-party.ts';

/** Returns the differences between a request and the request of an example. */
export function differences(wanted: Exchange, { url, method, headers, body }: Arrived): string[] {
  const got = `${method} ${url}`;
  const missing = Object.entries(wanted.headers ?? {}).filter(([name, value]) => headers[name.toLowerCase()] !== value);
  const text = body.toString();
  return [
    ...(sameAddress(wanted.request, got) ? [] : [`the request is ${got}, not ${wanted.request}`]),
    ...missing.map(([name, value]) => `the header ${name} is ${JSON.stringify(headers[name.toLowerCase()])}, not ${JSON.stringify(value)}`),
    ...bodyDifferences(wanted, text, String(headers['content-type'] ?? '')),
  ];
}

/** Whether method and URL are equal, except for the order and the escaping of parameters. */
function sameAddress(wanted: string, got: string): boolean {
  return isDeepStrictEqual(partsOf(wanted), partsOf(got));
}

function partsOf(line: string): unknown {
  const [method, address = ''] = line.split(' ');
  const url = URL.parse(address);
  return url ? [method, url.origin, url.pathname, [...url.searchParams].map((pair) => pair.join('\0')).sort()] : line;
}

function bodyDifferences({ body, bodyHas }: Exchange, text: string, contentType: string): string[] {
  if (bodyHas)
    return bodyHas.filter((part) => !text.includes(part)).map((part) => `the body lacks ${JSON.stringify(part)}: ${short(text)}`);
  if (body === undefined) return text === '' ? [] : [`there is a body, and the example has none: ${short(text)}`];
  const got = parsed(text, contentType);
  const wanted = JSON.parse(JSON.stringify(body));
  return isDeepStrictEqual(got, wanted) ? [] : [`the body is ${short(JSON.stringify(got))}, not ${short(JSON.stringify(wanted))}`];
}

function parsed(text: string, contentType: string): unknown {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    const fields = new URLSearchParams(text);
    return Object.fromEntries(
      [...new Set(fields.keys())].map((name) => [name, fields.getAll(name).length > 1 ? fields.getAll(name) : fields.get(name)]),
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function short(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

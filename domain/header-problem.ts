/**
 * Returns why a header cannot be sent, as a sentence without the header's value. Undefined if the
 * header can be sent.
 */
export function headerProblem(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name)) return `${JSON.stringify(name.slice(0, 100))} is not a header name.`;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return `The value of the header ${name} contains characters that a header cannot have.`;
  return isReservedHeader(name) ? `The header ${name} cannot be set: it is made from the request.` : undefined;
}

/** Whether the client makes this header itself, so that no caller can set it. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** Headers that callers cannot set. Host, for example, selects the TLS certificate. */
const RESERVED = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

/** Why a header cannot be sent to somebody else's address, in a sentence that does not quote its value; undefined where it can. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name)) return `${JSON.stringify(name.slice(0, 100))} is not a header name.`;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return `The value of the header ${name} holds characters that a header cannot carry.`;
  return OURS.has(name.toLowerCase()) ? `The header ${name} cannot be set: it is made from the request.` : undefined;
}

/** Headers that belong to the connection; a foreign Host would also choose another certificate than the address. */
const OURS = new Set([
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

/** The header that lists the services that a request has passed (RFC 8586). */
export const LOOP_HEADER = 'cdn-loop';

/**
 * Adds the id of this service to CDN-Loop, after the caller's value. An undefined `loopId` changes
 * nothing.
 */
export function withLoopId(headers: Record<string, string>, loopId: string | undefined): Record<string, string> {
  if (loopId === undefined) return headers;
  const isLoop = (name: string) => name.toLowerCase() === LOOP_HEADER;
  const others = Object.entries(headers).filter(([name]) => !isLoop(name));
  const given = Object.entries(headers).flatMap(([name, value]) => (isLoop(name) && value.trim() !== '' ? [value] : []));
  return { ...Object.fromEntries(others), [LOOP_HEADER]: [...given, loopId].join(', ') };
}

/** Whether a CDN-Loop header contains this id. Parameters after an id are ignored. */
export function hasLoopId(header: string, loopId: string): boolean {
  return header.split(',').some((one) => one.split(';', 1)[0]!.trim() === loopId);
}

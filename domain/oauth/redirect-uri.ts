const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a code sent to this address crosses a network unencrypted (RFC 9700 section 2.6). */
export function leavesUnencrypted(uri: unknown): boolean {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
}

/** Whether the host of a URL is the local computer. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

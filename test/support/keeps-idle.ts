/**
 * For a server of a test's own: an idle connection is left to its client. Where this process was busy for seconds, its server would close one at the very
 * moment in which a request comes over it.
 */
export const KEEPS_IDLE = { keepAliveTimeout: 0 } as const;

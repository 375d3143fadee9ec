/**
 * Leaves idle connections of a test's server to its client. Otherwise, after being busy for
 * seconds, the server could close one just when a request arrives over it.
 */
export const KEEPS_IDLE = { keepAliveTimeout: 0 } as const;

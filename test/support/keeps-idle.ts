/**
 * Server options with which only the client closes idle connections. A server that was busy for
 * seconds could otherwise close an idle connection just as a request arrives.
 */
export const KEEPS_IDLE = { keepAliveTimeout: 0 } as const;

/**
 * Server options that leave closing idle connections to the client. A server that was busy for
 * seconds could otherwise close an idle connection just as a request arrives.
 */
export const KEEPS_IDLE = { keepAliveTimeout: 0 } as const;

type Globals = typeof import('@jest/globals');

/** The exports of `@jest/globals` for the test file that is being loaded (run-test-file.ts). */
export const { jest, expect, test, it, describe, beforeAll, beforeEach, afterAll, afterEach } = globalThis as unknown as Globals;

import type { Logger } from '../infra/logger.ts';

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5000;

/** Tries until it works, waiting longer each time; says so once. */
export async function untilReachable<Value>(connect: () => Promise<Value>, logger: Logger): Promise<Value> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await connect();
    } catch (error) {
      logger.warn({ error: String(error), delayMs }, 'Temporal is not reachable yet; trying again');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

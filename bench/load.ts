import { Pool } from 'undici';
import type { Round } from './bar.ts';

/** A request to repeat. */
export interface Target {
  origin: string;
  token: string;
  method: 'GET' | 'POST';
  path: string;
  /** Makes the body of each request. Default: no body. */
  body?: () => object;
  /** Text that every answer must contain. Otherwise the measurement fails. */
  answers: string;
}

const ROUND_MS = 1000;

/** Sends requests for `roundMs` over a number of connections, one at a time on each. */
export async function load(target: Target, connections: number, roundMs = ROUND_MS): Promise<Round> {
  const pool = new Pool(target.origin, { connections });
  const headers = {
    authorization: `Bearer ${target.token}`,
    accept: 'application/json, text/event-stream',
    ...(target.body && { 'content-type': 'application/json' }),
  };
  const times: number[] = [];
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() < startedAt + roundMs) {
      const body = target.body ? JSON.stringify(target.body()) : null;
      const sentAt = performance.now();
      const answer = await pool.request({ method: target.method, path: target.path, headers, body });
      const text = await answer.body.text();
      if (!text.includes(target.answers)) throw new Error(`${target.path}: ${answer.statusCode} ${text.slice(0, 200)}`);
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond, p50Ms: times[Math.floor(times.length * 0.5)]!, p99Ms: times[Math.floor(times.length * 0.99)]! };
}

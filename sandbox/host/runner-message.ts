import { z } from 'zod';
import type { PassFailure } from './pass.ts';

const RUNNER_FAILURES = ['CODE_MEMORY', 'CODE_CALL_LIMIT', 'CODE_TIMER_LIMIT', 'CODE_OUTPUT_TOO_LARGE'] as const satisfies PassFailure[];

const number = z.int().min(0);
const position = z.int().min(-2).max(10_000_000).optional();

const event = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call'),
    number,
    alias: z.string().max(200),
    action: z.string().max(500),
    input: z.string(),
    line: position,
    column: position,
  }),
  z.strictObject({ kind: z.literal('timer'), number, delayMs: z.int().min(0) }),
]);

const end = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('returned'), value: z.string(), isNothing: z.boolean().optional() }),
  z.strictObject({
    kind: z.literal('threw'),
    error: z.strictObject({
      code: z.string().max(64),
      isOurs: z.boolean(),
      message: z.string().max(8000),
      line: position,
      column: position,
    }),
  }),
  z.strictObject({ kind: z.literal('failed'), error: z.strictObject({ code: z.enum(RUNNER_FAILURES), message: z.string().max(8000) }) }),
]);

const message = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('log'), level: z.enum(['log', 'info', 'warn', 'error', 'debug']), message: z.string() }),
  z.strictObject({ kind: z.literal('turn'), events: z.array(event), more: z.boolean(), end: end.optional() }),
  z.strictObject({ kind: z.literal('nearly-full') }),
  z.strictObject({ kind: z.literal('failed'), code: z.enum(RUNNER_FAILURES), message: z.string().max(8000) }),
]);

/** A message of a runner. */
export type RunnerMessage = z.infer<typeof message>;
export type TurnMessage = Extract<RunnerMessage, { kind: 'turn' }>;

/** Parses a frame. Undefined for an invalid message: the runner then counts as compromised. */
export function readRunnerMessage(text: string): RunnerMessage | undefined {
  try {
    return message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

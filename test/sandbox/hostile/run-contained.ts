import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { CODE_RUN } from '../../../domain/limits.ts';
import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import type { PassRequest, PassResult } from '../../../sandbox/host/pass.ts';
import { readRunnable } from '../../../sandbox/reader/read-code.ts';
import { PRINCIPAL, STARTED_AT } from '../a-sandbox.ts';
import { aHostileHost, HOSTILE_SURFACE } from './hostile-host.ts';
import type { HostileProgram } from './hostile-program.ts';

/** How late a result may arrive after its deadline. Allows for a busy machine. */
const SLACK_MS = 15_000;

const CANARY = `canary-${randomUUID()}`;
process.env.HOSTILE_CANARY = CANARY;

/** Texts that an answer to a caller must not contain. */
const TRACES = [
  ...[process.cwd(), homedir(), hostname(), process.execPath].filter((place) => place.length > 4),
  CANARY,
  ...['node_modules', 'node:', '/sandbox/', 'file://', 'svc:', 'isolated-vm', 'isolated_vm', '<isolated', '.ts:', '/proc/', '[eval'],
];

/** Runs one hostile program. Returns a sentence for each failure to contain the program. */
export async function runContained(sandbox: Sandbox, program: HostileProgram, limits: PassRequest['limits']): Promise<string[]> {
  const request = {
    principal: PRINCIPAL,
    program: readRunnable(program.code, 'svc'),
    surface: HOSTILE_SURFACE,
    seed: program.what,
    startedAt: STARTED_AT,
    limits,
  };
  const late = Promise.withResolvers<'late'>();
  const deadline = setTimeout(late.resolve, limits.timeMs + SLACK_MS, 'late');
  const result = await Promise.race([sandbox.runPass(request, aHostileHost()), late.promise]).finally(() => clearTimeout(deadline));
  if (result === 'late') return [`${program.what}: no result in time`];
  return [...endProblems(program, result), ...tracesIn(result), ...tooMuchIn(result)].map((problem) => `${program.what}: ${problem}`);
}

function endProblems({ ends }: HostileProgram, result: PassResult): string[] {
  const said = JSON.stringify({ ...result, logs: undefined }).slice(0, 500);
  const wrong = [`ended otherwise: ${said}`];
  if (ends === 'anyhow') return result.kind === 'returned' || result.kind === 'threw' ? [] : wrong;
  if (ends === 'paused') return result.kind === 'paused' ? [] : wrong;
  if ('returns' in ends) return result.kind === 'returned' && isDeepStrictEqual(JSON.parse(result.value), ends.returns) ? [] : wrong;
  const code = result.kind === 'failed' || result.kind === 'threw' ? result.error.code : undefined;
  return ends.some((one) => one === code) ? [] : wrong;
}

/** A sentence for each internal text, such as a local path, in an answer to a caller. */
export function tracesIn(answer: unknown): string[] {
  const text = JSON.stringify(answer);
  return TRACES.filter((trace) => text.includes(trace)).map((trace) => {
    const at = text.indexOf(trace);
    return `shows ${JSON.stringify(trace)} in ${text.slice(Math.max(0, at - 100), at + 100)}`;
  });
}

function tooMuchIn({ logs }: PassResult): string[] {
  const bytes = logs.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  return logs.length > CODE_RUN.logMaxLines || bytes > CODE_RUN.logMaxBytes + 1000 ? [`logged ${logs.length} lines, ${bytes} bytes`] : [];
}

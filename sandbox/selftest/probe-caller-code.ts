import type { Sandbox } from '../host/open-sandbox.ts';
import type { PassHost, PassRequest } from '../host/pass.ts';
import { readRunnable } from '../reader/read-code.ts';
import type { Finding } from './run-probe.ts';

const TIME_MS = 1000;
/** How late a pass may end. */
const GRACE_MS = 1000;

const PROGRAMS: Record<string, { code: string; timeMs?: number; isContained(end: string): boolean }> = {
  'what code sees': {
    code: `const global = (() => {}).constructor('return globalThis')();
      const attempts = ['process["env"]', 'require("fs")', 'fetch("http://127.0.0.1")', 'new WebAssembly.Memory({ initial: 1 })', 'new SharedArrayBuffer(1)', 'module.exports', 'new Worker("x")'];
      return attempts.filter((attempt) => { try { global.eval(attempt); return true } catch { return false } });`,
    isContained: (end) => end === 'returned []',
  },
  'time of code': { code: 'while (true);', timeMs: TIME_MS, isContained: (end) => end === 'CODE_TIMEOUT' },
  'memory of code': {
    code: 'const all = []; while (true) all.push(new Array(1e6).fill(1.5));',
    isContained: (end) => end === 'CODE_MEMORY',
  },
};

export const CALLER_PROBES = Object.keys(PROGRAMS);

/** Runs the program `name` through the sandbox. */
export async function probeCallerCode(sandbox: Sandbox, name: string, memoryMb: number): Promise<Finding> {
  const { code, timeMs = 20_000, isContained } = PROGRAMS[name]!;
  const request: PassRequest = {
    principal: { orgId: 'selftest', workspaceId: 'selftest', endUserId: null },
    program: readRunnable(code, 'svc'),
    surface: {},
    seed: '',
    startedAt: 0,
    limits: { timeMs, memoryMb },
  };
  const startedAt = performance.now();
  const result = await sandbox.runPass(request, SILENT_HOST);
  const tookMs = performance.now() - startedAt;
  const end = result.kind === 'returned' ? `returned ${result.value}` : 'error' in result ? result.error.code : result.kind;
  const isLate = tookMs > timeMs + GRACE_MS;
  return { got: isLate || !isContained(end), detail: `${end} after ${(tookMs / 1000).toFixed(1)} s` };
}

const SILENT_HOST: PassHost = { onEvents: () => {}, nextCompletion: () => new Promise(() => {}) };

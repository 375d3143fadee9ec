import { openSandbox } from '../host/open-sandbox.ts';
import type { CodePrincipal, PassRequest } from '../host/pass.ts';
import { readRunnable } from '../reader/read-code.ts';
import type { Finding } from './run-probe.ts';

/** The number of idle processes that the probe keeps, by value of SANDBOX_REUSE. */
const SETTINGS = { principal: 4, never: 0 };

export type ReuseSetting = keyof typeof SETTINGS;

/** What each setting promises, for an operator. */
export const PROMISES: Record<ReuseSetting, string> = {
  principal:
    'a process serves one principal (organization, workspace, end user), one pass after another, each in a new isolate. Native code that escapes an isolate reaches later passes of this principal in this process, and no other principal.',
  never: 'a process serves one pass. Native code that escapes an isolate reaches this pass only.',
};

const LEAVE_AND_LOOK = `const seen = [typeof left, typeof Array.prototype.left]; globalThis.left = 1; Array.prototype.left = 1; return seen`;
const NOTHING_LEFT = '["undefined","undefined"]';

/** Runs passes of two principals under a setting. */
export async function probeReuse(setting: ReuseSetting, memoryMb: number): Promise<Finding> {
  const silent = () => {};
  const sandbox = openSandbox({ logger: { warn: silent, error: silent }, keptMost: SETTINGS[setting], memoryMb });
  const pass = async (principal: CodePrincipal) => {
    const program = readRunnable(LEAVE_AND_LOOK, 'svc');
    const request: PassRequest = { principal, program, surface: {}, seed: '', startedAt: 0, limits: { timeMs: 20_000, memoryMb } };
    const result = await sandbox.runPass(request, { onEvents: silent, nextCompletion: () => new Promise(() => {}) });
    return result.kind === 'returned' ? result.value : `(${result.kind})`;
  };
  const own = { orgId: 'selftest', workspaceId: 'selftest', endUserId: null };
  try {
    const seen = [await pass(own), await pass(own), await pass({ ...own, endUserId: 'another' })];
    const kept = sandbox.keptRunners();
    const most = Math.max(0, ...kept.map(({ passes }) => passes));
    const isShared = kept.some(({ passes, principal }) => passes > (principal.endUserId === null ? 2 : 1));
    const got = seen.some((one) => one !== NOTHING_LEFT) || isShared || kept.length > SETTINGS[setting];
    return { got, detail: most > 1 ? `two passes of one principal in one process, saw ${seen.join(' ')}` : 'a process for each pass' };
  } finally {
    await sandbox.close();
  }
}

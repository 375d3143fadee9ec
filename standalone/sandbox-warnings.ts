import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../infra/config.ts';

const SELFTEST = join(dirname(import.meta.dirname), 'sandbox', 'selftest.ts');
const DEADLINE_MS = 30_000;

/** Returns one line for each gap in how this machine confines callers' code. */
export async function sandboxWarnings(): Promise<string[]> {
  const env = foreignEnvironment() as NodeJS.ProcessEnv;
  const brief = promisify(execFile)(process.execPath, ['--no-warnings', SELFTEST, '--brief'], { env, timeout: DEADLINE_MS });
  const { stdout, stderr } = await brief.catch((error: { stdout?: string; stderr?: string }) => ({ stdout: '', stderr: '', ...error }));
  const lines = `${stdout}${stderr}`.split('\n').filter(Boolean);
  return lines.map((line) => `Sandbox: ${line}`);
}

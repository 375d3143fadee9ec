import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../infra/config.ts';
import { system, testEnvironment } from '../support/system.ts';

const ADMIN = join(import.meta.dirname, '../../standalone/admin.ts');

export interface Answer {
  /** The exit code. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the admin command as a process of its own against the shared system, as an operator would. */
export async function admin(...args: string[]): Promise<Answer> {
  const [{ databaseUrl, temporalAddress }, env] = await Promise.all([system(), testEnvironment()]);
  return runAdmin({ ...env, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress }, args);
}

/** Runs the admin command with these variables and none of its own. */
export async function runAdmin(env: Record<string, string>, args: string[]): Promise<Answer> {
  try {
    const options = { env: childEnvironment(env) as NodeJS.ProcessEnv, timeout: 50_000 };
    return { code: 0, ...(await promisify(execFile)(process.execPath, [ADMIN, ...args], options)) };
  } catch (error) {
    return error as Answer;
  }
}

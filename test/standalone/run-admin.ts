import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../infra/config.ts';
import { type CommandResult, runCommand } from '../../standalone/admin/run-command.ts';
import { system, testEnvironment } from '../support/system.ts';

const ADMIN = join(import.meta.dirname, '../../standalone/admin.ts');

/** Runs an admin command against the shared system, in this process. */
export async function admin(...args: string[]): Promise<CommandResult> {
  return runAdmin(await sharedSystemVariables(), args);
}

/** Runs an admin command in this process, with these variables added to the environment. */
export function runAdmin(env: Record<string, string>, args: string[]): Promise<CommandResult> {
  return runCommand(args, childEnvironment(env));
}

/** Runs an admin command against the shared system in a separate process, as an operator does. */
export async function adminProcess(...args: string[]): Promise<CommandResult> {
  return runAdminProcess(await sharedSystemVariables(), args);
}

/** Runs an admin command in a separate process, with these variables added to the environment. */
export async function runAdminProcess(env: Record<string, string>, args: string[]): Promise<CommandResult> {
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, [ADMIN, ...args], { env: childEnvironment(env) as NodeJS.ProcessEnv })),
    };
  } catch (error) {
    return error as CommandResult;
  }
}

async function sharedSystemVariables(): Promise<Record<string, string>> {
  const [{ databaseUrl, temporalAddress }, env] = await Promise.all([system(), testEnvironment()]);
  return { ...env, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress };
}

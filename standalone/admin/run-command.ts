import { readConfig, SetupError } from '../../infra/config.ts';
import { ADMIN_COMMANDS, type AdminCommand } from './commands.ts';
import { UsageError } from './read-options.ts';

/** The output of a command and its exit code. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

const HELP = ['--help', '-h'];

/**
 * Runs one admin command (contract decisions 6). `env` defaults to that of this process.
 * For a UsageError or SetupError, only the message goes to stderr.
 */
export async function runCommand([name, ...args]: string[], env?: Record<string, string | undefined>): Promise<CommandResult> {
  try {
    return { code: 0, stdout: `${await runNamed(name, args, env)}\n`, stderr: '' };
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${messageOf(error)}\n` };
  }
}

async function runNamed(name: string | undefined, args: string[], env: Record<string, string | undefined> | undefined): Promise<string> {
  if (name === undefined || HELP.includes(name)) return helpOf(ADMIN_COMMANDS);
  const known = ADMIN_COMMANDS.find((command) => command.name === name);
  if (!known) throw new UsageError(`There is no command ${name}.`);
  if (args.some((arg) => HELP.includes(arg))) return helpOf([known]);
  const { command } = await known.load();
  return command(readConfig(env), args);
}

function helpOf(commands: readonly AdminCommand[]): string {
  const lines = commands.flatMap(({ name, usage, summary }) => [
    ...usage.split('\n').map((line) => `  ${name} ${line}`.trimEnd()),
    `      ${summary}`,
  ]);
  return ['Usage: npm run --silent admin -- COMMAND', ...lines].join('\n');
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee --help for the usage.`;
  return error instanceof SetupError ? error.message : ((error as Error).stack ?? String(error));
}

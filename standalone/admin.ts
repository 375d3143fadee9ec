import { readConfig, SetupError } from '../infra/config.ts';
import type { AdminCommand } from './admin/admin-command.ts';
import { ADMIN_COMMANDS } from './admin/commands.ts';
import { UsageError } from './admin/read-options.ts';

/** npm run --silent admin -- …: what an operator does by hand (decisions section 6). Only the answer goes to stdout. */
async function main(): Promise<void> {
  const [name, ...args] = process.argv.slice(2);
  process.stdout.write(`${await answer(name, args)}\n`);
}

const HELP = ['--help', '-h'];

async function answer(name: string | undefined, args: string[]): Promise<string> {
  if (name === undefined || HELP.includes(name)) return usageOf(ADMIN_COMMANDS);
  const command = ADMIN_COMMANDS.find((known) => known.name === name);
  if (!command) throw new UsageError(`There is no command ${name}.`);
  return args.some((arg) => HELP.includes(arg)) ? usageOf([command]) : command.run(readConfig(), args);
}

/** A line for each way to call each command. */
function usageOf(commands: readonly AdminCommand[]): string {
  const lines = commands.flatMap(({ name, usage }) => usage.split('\n').map((line) => `  ${name} ${line}`.trimEnd()));
  return ['Usage: npm run --silent admin -- COMMAND', ...lines].join('\n');
}

function say(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nFor how to call it, see --help.`;
  return error instanceof SetupError ? error.message : ((error as Error).stack ?? String(error));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${say(error)}\n`);
  process.exitCode = 1;
}

import type { Config } from '../../infra/config.ts';

/** One thing that an operator does by hand: `npm run --silent admin -- NAME …` (decisions section 6). */
export interface AdminCommand {
  name: string;
  /** Options as the usage shows them, a line for each way to call it; docs/running.md names each. */
  usage: string;
  /** Reads the arguments and does it; answers what is printed to stdout, and nothing else is. Throws a UsageError or a SetupError with a sentence. */
  run(config: Config, args: string[]): Promise<string>;
}

interface Declaration<Args> {
  name: string;
  usage: string;
  /** Throws a UsageError for arguments that are not right. */
  read(args: string[]): Args;
  run(config: Config, args: Args): Promise<string> | string;
}

/** Declares a command: what it is called, how its arguments are read, and what it does. */
export function adminCommand<Args>({ name, usage, read, run }: Declaration<Args>): AdminCommand {
  return { name, usage, run: async (config, args) => run(config, read(args)) };
}

import type { Config } from '../../infra/config.ts';

/**
 * Runs a command with the arguments after its name. Returns the text for stdout. Throws UsageError
 * or SetupError.
 */
export type RunCommand = (config: Config, args: string[]) => Promise<string>;

interface Declaration<Args> {
  /** Throws UsageError. */
  read(args: string[]): Args;
  run(config: Config, args: Args): Promise<string> | string;
}

/** Makes a command that checks all its arguments before it does anything else. */
export function adminCommand<Args>({ read, run }: Declaration<Args>): RunCommand {
  return async (config, args) => run(config, read(args));
}

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { SetupError } from '../../infra/config.ts';

/** Invalid arguments. The message is one line; `runCommand` adds a hint to --help. */
export class UsageError extends SetupError {
  override name = 'UsageError';
}

/** Reads a command's options. Throws UsageError. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  return readArguments(args, options, 0).values;
}

/** Like `readOptions`, but allows up to `maxWords` positional arguments. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options, maxWords: number) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: maxWords > 0 });
    if (positionals.length > maxWords) throw new Error(`Unexpected argument '${positionals[maxWords]}'.`);
    return { values, words: positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/\s+/g, ' '));
  }
}

/** The value of a required option. Throws UsageError. */
export function requireOption(option: string, value: string | undefined): string {
  if (value) return value;
  throw new UsageError(`${option} is missing.`);
}

/** A UUID in lower case. Throws UsageError. */
export function readId(option: string, id: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id.toLowerCase();
  throw new UsageError(`${option}: ${id} is not an id.`);
}

/** An optional UUID. */
export function readOptionalId(option: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : readId(option, id);
}

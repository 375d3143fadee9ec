import { parseArgs } from 'node:util';
import { SetupError } from '../infra/config.ts';

export interface DemoArguments {
  url?: string | undefined;
  key?: string | undefined;
  decide?: 'approve' | 'reject' | undefined;
}

const USAGE = 'Usage: npm run demo -- [--decide approve|reject] [--url http://127.0.0.1:8080] [--key svc_…]';

/** Parses the command line. Throws a SetupError that explains the usage. */
export function readArguments(argv: string[]): DemoArguments {
  const { url, key, decide } = parse(argv);
  if (decide !== undefined && decide !== 'approve' && decide !== 'reject')
    throw new SetupError(`--decide must be approve or reject. ${USAGE}`);
  return { url, key, decide };
}

function parse(argv: string[]): Record<'url' | 'key' | 'decide', string | undefined> {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ args: argv, options: { url: text, key: text, decide: text } });
    return { url: values.url, key: values.key, decide: values.decide };
  } catch (error) {
    throw new SetupError(`${(error as Error).message}. ${USAGE}`);
  }
}

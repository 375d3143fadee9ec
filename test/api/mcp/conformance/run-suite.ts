import { spawn } from 'node:child_process';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

export interface SuiteRun {
  /** The exit code. 0: the failed checks are exactly those in the baseline. */
  code: number | null;
  output: string;
}

/** Runs the conformance suite of MCP. Calls `read` with the output so far. */
export async function runSuite(args: readonly string[], read: (output: string) => void = () => {}): Promise<SuiteRun> {
  const suite = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [suite.stdout, suite.stderr])
    stream.on('data', (part: Buffer) => {
      output += part;
      read(output);
    });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  suite.on('close', resolve);
  return { code: await promise, output };
}

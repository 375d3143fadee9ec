import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** Runs rounds of programs in a process of their own, which says after each how many megabytes it holds. */
async function memoryOfRounds(kind: string): Promise<number[]> {
  const args = ['--no-warnings', '--expose-gc', join(import.meta.dirname, 'flooded-host.ts'), kind];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: Buffer[] = [];
  host.stdout.on('data', (chunk: Buffer) => void said.push(chunk));
  await once(host, 'close');
  return Buffer.concat(said).toString().trim().split('\n').map(Number);
}

test.each([
  ['logs that are written without end', 'logs'],
  ['the largest outputs, many at once', 'outputs'],
  ['calls with the largest inputs, whose answers are as large', 'calls'],
  ['a runner that was taken over and writes faster than anybody reads', 'frames'],
  ['a runner that was taken over and writes errors without end', 'errors'],
])(
  'the service holds no more than before after %s',
  async (_what, kind) => {
    const [first, ...others] = await memoryOfRounds(kind);
    expect(others).toHaveLength(3);
    expect(Math.min(...others) - first!).toBeLessThan(24);
  },
  60_000,
);

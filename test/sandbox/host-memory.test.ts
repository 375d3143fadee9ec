import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

async function memoryOfRounds(kind: string): Promise<number[]> {
  const args = ['--no-warnings', '--expose-gc', join(import.meta.dirname, 'flooded-host.ts'), kind];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: Buffer[] = [];
  host.stdout.on('data', (chunk: Buffer) => void said.push(chunk));
  await once(host, 'close');
  return Buffer.concat(said).toString().trim().split('\n').map(Number);
}

test.each([
  ['endless logs', 'logs'],
  ['many concurrent outputs of the maximum size', 'outputs'],
  ['calls with inputs and answers of the maximum size', 'calls'],
  ['a compromised runner that writes faster than the host reads', 'frames'],
  ['a compromised runner that writes endless errors', 'errors'],
])(
  "the service's memory does not grow after %s",
  async (_what, kind) => {
    const [first, ...others] = await memoryOfRounds(kind);
    expect(others).toHaveLength(3);
    expect(Math.min(...others) - first!).toBeLessThan(24);
  },
  120_000,
);

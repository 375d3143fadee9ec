import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import type { TestBed } from '../test/support/test-bed.ts';

/** A running `bench/ref/bare-worker.ts`, and a client of the test bed's Temporal server. */
export interface TemporalReference {
  client: Client;
  taskQueue: string;
  stop(): Promise<void>;
}

/** Starts the bare worker. Resolves when it is ready. */
export async function startTemporalReference(bed: TestBed): Promise<TemporalReference> {
  const { address } = await bed.temporal();
  const taskQueue = 'bench-reference';
  const program = new URL('ref/bare-worker.ts', import.meta.url).pathname;
  const worker = spawn(process.execPath, [program, JSON.stringify({ address, taskQueue })], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(worker.stdout, 'data');
  const connection = await Connection.connect({ address });
  const stop = async () => {
    worker.kill('SIGKILL');
    await connection.close();
  };
  return { client: new Client({ connection }), taskQueue, stop };
}

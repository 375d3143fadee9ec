import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workflowBundlePath } from '../support/system.ts';

const HISTORIES = join(import.meta.dirname, 'histories');

const SCRIPT = `
  const { readFileSync } = await import('node:fs');
  const { Runtime, Worker } = await import('@temporalio/worker');
  const [bundle, file] = process.argv.slice(1);
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} }, telemetryOptions: { logging: { filter: 'OFF', forward: {} } } });
  await Worker.runReplayHistory({ workflowBundle: { codePath: bundle } }, JSON.parse(readFileSync(file, 'utf8')), 'replayed');
  process.stdout.write('replayed');
`;

// Recorded by a real server with the code of before operators were told of refusals.
test.each(readdirSync(HISTORIES))('a workflow of before goes on under the code of today: %s', async (name) => {
  const args = ['--input-type=module', '-e', SCRIPT, await workflowBundlePath(), join(HISTORIES, name)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('replayed');
});
